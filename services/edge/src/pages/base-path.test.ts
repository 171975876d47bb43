import { expect, test } from 'vitest'
import { createBasePath } from './base-path.ts'

const { base, strip, header } = createBasePath('https://example.test/trellis')

test.each([
  ['/trellis', '/'],
  ['/trellis/', '/'],
  ['/trellis?x=1', '/?x=1'],
  ['/trellis/logs/api/search?q=a', '/logs/api/search?q=a'],
  ['/trellis-two/home', '/trellis-two/home'],
  ['/logs', '/logs'],
])('%s is served as %s', (url, expected) => expect(strip(url)).toBe(expected))

test('cookies and redirects get the base before their paths', () => {
  expect(header('set-cookie', 'a=b; Path=/logs/api; HttpOnly')).toBe('a=b; Path=/trellis/logs/api; HttpOnly')
  expect(header('location', '/home')).toBe('/trellis/home')
  expect(header('location', 'https://other.test/')).toBe('https://other.test/')
  expect(header('x-other', '/home')).toBe('/home')
})

test('without a path in the public URL, nothing changes', () => {
  for (const url of [undefined, 'https://example.test']) {
    const none = createBasePath(url)
    expect([none.base, none.strip('/a'), none.header('location', '/a')]).toEqual(['', '/a', '/a'])
  }
  expect(base).toBe('/trellis')
})
