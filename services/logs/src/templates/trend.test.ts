import { expect, test } from 'vitest'
import { directionOf, windowBetween } from './trend.ts'

const hour = 3_600_000
const window = windowBetween(0, 24 * hour)
const everyHour = (early: number, late: number) => Array.from({ length: 24 }, (_, at) => (at < 18 ? early : late))

test.each([
  ['rising: more than twice the expected number', everyHour(10, 30), 0, 'rising'],
  ['falling: fewer than half of the expected number', everyHour(10, 3), 0, 'falling'],
  ['silent: none in the last quarter, where some are expected', everyHour(10, 0), 0, 'silent'],
  ['steady: about as many as before', everyHour(10, 12), 0, 'steady'],
  ['steady: few, which are not expected in the last quarter', [3, ...everyHour(0, 0).slice(1)], 0, 'steady'],
  ['steady: one more of a rare template is chance', [1, ...everyHour(0, 0).slice(2), 2], 0, 'steady'],
  ['new: its first entry is in the last quarter', everyHour(0, 1), 18 * hour, 'new'],
  ['rising: a template from before the window is not new', everyHour(0, 5), -hour, 'rising'],
])('%s', (_, buckets, firstSeen, expected) => {
  expect(directionOf({ buckets, firstSeen }, window)).toBe(expected)
})
