import { expect, test } from 'vitest'
import { formatAgo, formatDuration, formatTime } from './times.ts'

test('a time is written with its date, in UTC, to the millisecond', () => {
  expect(formatTime('2026-03-01T09:05:02.007Z', 'utc', { milliseconds: true })).toBe('2026-03-01 09:05:02.007')
  expect(formatTime('2026-03-01T00:05:02Z', 'utc', { date: false })).toBe('00:05:02')
  expect(formatTime('not a time', 'utc')).toBe('not a time')
})

test.each([
  [2_000, 'now'],
  [42_000, '42 s ago'],
  [-7_200_000, 'in 2 h'],
  [3 * 86_400_000, '3 d ago'],
  [300 * 86_400_000, '300 d ago'],
  [7_663 * 86_400_000, '21 y ago'],
])('%d ms before now is "%s"', (before, expected) => {
  const now = Date.parse('2026-03-10T00:00:00Z')
  expect(formatAgo(new Date(now - before).toISOString(), now)).toBe(expected)
})

test.each([
  [850, '850 ms'],
  [9_420, '9.4 s'],
  [125_000, '2 min 5 s'],
  [3_900_000, '1 h 5 min'],
  [47 * 3_600_000, '47 h'],
  [76 * 3_600_000, '3 d 4 h'],
  [2_016 * 3_600_000, '84 d'],
])('%d ms is "%s"', (milliseconds, expected) => expect(formatDuration(milliseconds)).toBe(expected))
