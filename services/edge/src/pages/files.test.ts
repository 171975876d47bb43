import { expect, test } from 'vitest'
import { chooseEncoding, compressedPage } from './files.ts'

const page = compressedPage('<p>page</p>')

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0.0, gzip;q=0', undefined],
  ['identity', undefined],
  ['', undefined],
])('Accept-Encoding "%s" is answered with %s', (accepted, expected) =>
  expect(chooseEncoding(page, accepted)).toBe(expected),
)

test('a file without compressed forms is sent as it is', () => {
  expect(chooseEncoding({ encoded: {} }, 'br, gzip')).toBe(undefined)
})
