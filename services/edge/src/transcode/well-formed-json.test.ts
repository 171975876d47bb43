import { expect, test } from 'vitest'
import { wellFormedJson } from './well-formed-json.ts'

test.each([
  ['a high surrogate alone', String.raw`{"a":"\ud800b"}`, '{"a":"\uFFFDb"}'],
  ['a low one alone, in capitals', String.raw`{"a":"\uDC00"}`, '{"a":"\uFFFD"}'],
  ['two high ones', String.raw`["\ud83d\ud83d"]`, '["\uFFFD\uFFFD"]'],
  ['a pair in the wrong order', String.raw`["\ude00\ud83d"]`, '["\uFFFD\uFFFD"]'],
  ['a high one before a pair', String.raw`["\ud83d\ud83d\ude00"]`, String.raw`["${'\uFFFD'}\ud83d\ude00"]`],
  ['one in a key', String.raw`{"\ud800":1}`, '{"\uFFFD":1}'],
])('%s becomes U+FFFD', (_, text, expected) => {
  expect(wellFormedJson(text)).toBe(expected)
  expect(JSON.stringify(JSON.parse(wellFormedJson(text))).isWellFormed()).toBe(true)
})

test.each([
  ['pairs', String.raw`["\ud83d\ude00"]`],
  ['an escaped backslash before the digits', String.raw`["\\ud800"]`],
  ['other escapes', String.raw`["\ue000\n\"\u0041"]`],
  ['what is no JSON', String.raw`\ud8`],
])('%s stay as they are', (_, text) => {
  expect(wellFormedJson(text)).toBe(text)
})

test('a byte order mark at the beginning is left out', () => {
  expect(wellFormedJson('\uFEFF{"a":"\uFEFF"}')).toBe('{"a":"\uFEFF"}')
})
