import { expect, test } from 'vitest'
import { histogramOf } from './timeline.ts'

const at = (minute: number, count: number, errors: number) => ({
  time: new Date(Date.UTC(2026, 2, 1, 9, minute)).toISOString(),
  count,
  errors,
})

test('buckets without lines are filled in between points, and errors are a part of their own', () => {
  expect(histogramOf([at(0, 4, 1), at(10, 0, 2), at(15, 3, 3)], { earlier: 7, later: 0 })).toEqual({
    start: '2026-03-01T09:00:00.000Z',
    bucket_seconds: 300,
    counts: [4, 0, 2, 3],
    by_severity: { ERROR: [1, 0, 2, 3], none: [3, 0, 0, 0] },
    earlier: 7,
    later: 0,
  })
})

test('fewer than two points make no chart', () => {
  expect(histogramOf([], null)).toBeUndefined()
  expect(histogramOf([at(0, 1, 1)], null)).toBeUndefined()
})
