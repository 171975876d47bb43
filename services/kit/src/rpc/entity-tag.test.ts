import { expect, test } from 'vitest'
import { isMatched, isUnchanged } from './entity-tag.ts'

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['', false],
  [undefined, false],
])('If-None-Match %s names the version "a": %s', (header, expected) => {
  expect(isUnchanged('"a"', header)).toBe(expected)
})

test.each([
  ['"a"', '"a"', true],
  ['"a"', '"b", "a"', true],
  ['"a"', '*', true],
  ['"a"', '"b"', false],
  ['"a"', 'W/"a"', false],
  ['W/"a"', 'W/"a"', false],
  ['"a"', '', false],
  [undefined, '"a"', false],
  [undefined, '*', true],
])('If-Match of the version %s with %s holds: %s', (etag, header, expected) => {
  expect(isMatched(etag, header)).toBe(expected)
})
