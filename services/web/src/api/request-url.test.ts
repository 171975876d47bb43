import { expect, test } from 'vitest'
import { requestUrl } from './request-url.ts'

test('parameters are encoded, absent ones left out, and lists repeated', () => {
  const url = requestUrl(
    '/a/{id}/b',
    { id: 'x/y z' },
    { q: 'a&b', none: null, empty: '', zero: 0, off: false, tag: ['1', '2'] },
  )
  expect(url).toBe('/a/x%2Fy%20z/b?q=a%26b&zero=0&off=false&tag=1&tag=2')
})
