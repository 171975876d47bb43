import { expect, test } from 'vitest'
import { textReader } from './text-values.ts'

const read = textReader({ count: 'number', flag: 'boolean', names: 'string[]', counts: 'number[]' })

test.each([
  ['7', 7],
  [' -7.50 ', -7.5],
  ['+.5e-3', 0.0005],
  ['7.', 7],
  ['1e3', 1_000],
  ['.', '.'],
  ['1e', '1e'],
  ['0x10', '0x10'],
  ['Infinity', 'Infinity'],
  ['1 2', '1 2'],
])('the number "%s" is read as %j', (text, value) => {
  expect(read({ count: text })).toEqual({ count: value })
})

test('single values become lists, empty ones are absent, and unknown names are ignored', () => {
  expect(read({ flag: 'YES', names: 'a', counts: ['1', '', 'x'], count: '', other: '1' })).toEqual({
    flag: true,
    names: ['a'],
    counts: [1, 'x'],
  })
})

test('a long text that is no number is read in linear time', () => {
  const digits = '1'.repeat(2_000_000)
  for (const count of [`${digits}x`, `${digits}.${digits}x`, ` ${digits}e${digits}x`, `${' '.repeat(2_000_000)}x`])
    expect(read({ count })).toEqual({ count })
})
