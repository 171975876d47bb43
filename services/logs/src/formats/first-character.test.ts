import { expect, test } from 'vitest'
import { firstCharacterOf, mayStart } from './first-character.ts'
import { logFormats } from './library/mod.ts'

test.each([
  [/^\d{4} x/, 'digit'],
  [/^(?<time>\d+(?:a|b)?) /, 'digit'],
  [/^\[(?<time>\d+)\]/, 'bracket'],
  [/^(?<time>\d+|[a-z]+) /, 'any'],
  [/^(?:\d+ )?x/, 'any'],
  [/^\d?x/, 'any'],
  [/^\[?x/, 'any'],
  [/^(?<level>[|)]\d) /, 'any'],
  [/^(?<time>\d[)|]) /, 'digit'],
] as const)('%s starts with: %s', (pattern, expected) => {
  expect(firstCharacterOf(pattern)).toBe(expected)
})

test('no sample is kept from its own format', () => {
  for (const format of logFormats) {
    if (format.kind !== 'pattern') continue
    const first = firstCharacterOf(format.pattern)
    expect(format.samples.filter(({ line }) => !mayStart(first, line))).toEqual([])
  }
})
