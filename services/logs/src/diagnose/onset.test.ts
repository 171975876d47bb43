import { expect, test } from 'vitest'
import { onsetOf, overSpan } from './onset.ts'

const start = Date.parse('2026-03-01T09:00:00Z')
const errors = (...counts: number[]) => ({ start, bucketSeconds: 60, counts })
const minute = (count: number) => start + count * 60_000

test('a burst begins when errors exceed the usual number', () => {
  expect(onsetOf(errors(1, 0, 1, 3, 40, 12, 1, 0))).toEqual({
    began: minute(3),
    peak: { time: minute(4), count: 40, seconds: 60 },
    isBurst: true,
  })
})

test('constant errors are not a burst', () => {
  expect(onsetOf(errors(0, 5, 6, 5, 7, 6))).toMatchObject({ began: minute(1), isBurst: false })
  expect(onsetOf(errors(0, 0, 2))).toMatchObject({ began: minute(2), isBurst: false })
})

test('there is no onset without errors', () => {
  expect(onsetOf(errors(0, 0))).toBeUndefined()
  expect(onsetOf(null)).toBeUndefined()
})

test('quiet times around a burst count towards the usual number', () => {
  const seconds = { start: minute(30), bucketSeconds: 1, counts: [3, 4, 0, 5] }
  expect(onsetOf(seconds)).toMatchObject({ isBurst: false })
  const spread = overSpan(seconds, minute(0), minute(90))
  expect(spread?.bucketSeconds).toBe(60)
  expect(onsetOf(spread)).toEqual({
    began: minute(30),
    peak: { time: minute(30), count: 12, seconds: 60 },
    isBurst: true,
  })
  expect(overSpan(null, 0, 1)).toBeNull()
})
