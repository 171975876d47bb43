import { expect, test } from 'vitest'
import { isUnchanged } from './entity-tag.ts'

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
