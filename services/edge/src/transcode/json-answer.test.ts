import { expect, test } from 'vitest'
import { acceptsGzip } from './json-answer.ts'

test.each([
  ['gzip, deflate, br', true],
  ['br;q=1.0, GZIP;q=0.8', true],
  ['gzip;q=0', false],
  ['identity', false],
  [undefined, false],
])('Accept-Encoding %s accepts gzip: %s', (header, expected) => expect(acceptsGzip(header)).toBe(expected))
