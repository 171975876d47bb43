import { expect, test } from 'vitest'
import { lineOf, splitAt } from './line.ts'

test('a text is split at what was found, and wrong ranges change nothing', () => {
  expect(
    splitAt('disk is full', [
      [8, 12],
      [0, 4],
      [2, 3],
      [50, 60],
    ]).map(({ text, isMarked }) => [text, isMarked]),
  ).toEqual([
    ['disk', true],
    [' is ', false],
    ['full', true],
  ])
  expect(splitAt('', [])).toEqual([{ text: '', isMarked: false }])
})

const entry = {
  entry_id: 'e1',
  timestamp_iso: '2026-03-01T09:00:00Z',
  severity: 'ERROR',
  source_id: 'web',
  text: '2026-03-01 ERROR disk full\n\tat a.js',
  message: 'disk full\n\tat a.js',
  repeat_count: 3,
  highlights: [[17, 21]],
}

test('a line shows the message, its breaks as signs, and marks what was found in the whole text', () => {
  const line = lineOf(entry)
  expect(line.parts).toEqual([
    { text: 'disk', isMarked: true },
    { text: ' full ⏎   at a.js', isMarked: false },
  ])
  expect(line).toMatchObject({ id: 'e1', repeats: 3, extraLines: 1, flag: null })
})

test('an entry of a megabyte is cut in its row', () => {
  const { parts } = lineOf({ ...entry, text: 'x'.repeat(1_000_000), message: 'x'.repeat(1_000_000), highlights: [] })
  expect(parts[0]?.text.length).toBe(2_000)
})

test('characters that turn a text around are shown as signs', () => {
  const text = 'file \u202egnp.exe\u202c, \u2066isolated\u2069, עברית'
  const { parts } = lineOf({ ...entry, text, message: text, highlights: [[6, 9]] })
  expect(parts).toEqual([
    { text: 'file ⟨U+202E⟩', isMarked: false },
    { text: 'gnp', isMarked: true },
    { text: '.exe⟨U+202C⟩, ⟨U+2066⟩isolated⟨U+2069⟩, עברית', isMarked: false },
  ])
})
