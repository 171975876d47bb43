import { expect, test } from 'vitest'
import { firstCharactersOf, mayStart } from './first-character.ts'
import { logFormats } from './library/mod.ts'

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const startsOf = (pattern: RegExp) =>
  [...printable].filter((character) => mayStart(firstCharactersOf(pattern), character)).join('')

/** `u` twice: only the flag makes it a character by its number, so the compiler does not let it stand as a literal. */
const withoutUnicode = new RegExp(['^', 'u{2}x'].join('\\'))

test.each([
  [/^\d{4} x/, '0123456789'],
  [/^(?<time>\d+(?:a|b)?) /, '0123456789'],
  [/^\[(?<time>\d+)\]/, '['],
  [/^(?<time>\d+|[x-z]+) /, '0123456789xyz'],
  [/^(?:\d+ )?x/, '0123456789x'],
  [/^\d?x/, '0123456789x'],
  [/^\[{0,1}x/, '[x'],
  [/^(?<level>[|)]\d) /, ')|'],
  [/^(?<time>\d[)|]) /, '0123456789'],
  [/^ *(?:<(?:a|b)>)*?(?=z)(?<word>warn|err)/i, ' <EWew'],
  [/^[^ -Z]\x41/, '[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~'],
  [/^(?:(?:a|)b|c)/, 'abc'],
  [/^x|y/, printable],
  [/x/, printable],
  [/^(?:a|b)?/, printable],
  [/^(a)?\1b/, printable],
  [/^\bx/, 'x'],
  [/^(?i:a)x/, printable],
  [/^\p{Lu}x/u, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [/^\u{61}x/u, 'a'],
  [withoutUnicode, printable],
] as const)('%s starts with: %s', (pattern, expected) => {
  expect(startsOf(pattern)).toBe(expected)
})

test('what is beyond ASCII, and a line without anything, may be the start of any pattern', () => {
  expect([mayStart(firstCharactersOf(/^x/), 'é'), mayStart(firstCharactersOf(/^x/), '')]).toEqual([true, true])
})

test('no pattern matches a line of the library that it is kept from', () => {
  const lines = logFormats.flatMap(({ samples }) => samples.map(({ line }) => line))
  for (const format of logFormats) {
    if (format.kind !== 'pattern') continue
    const first = firstCharactersOf(format.pattern)
    const kept = lines
      .flatMap((line) => [...printable].map((character) => character + line.slice(1)))
      .filter((line) => !mayStart(first, line))
    expect(kept.filter((line) => format.pattern.test(line))).toEqual([])
  }
})
