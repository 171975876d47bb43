import { expect, test } from 'vitest'
import { ascending, medianInterval, quantile, weightedMedian, withoutLogOutliers } from './statistics.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each([
  // Order statistics and coverage of the tables of Hollander and Wolfe.
  [5, null],
  [6, { low: 1, high: 6, level: 0.96875 }],
  [10, { low: 2, high: 9, level: 0.978515625 }],
  [20, { low: 6, high: 15 }],
  [100, { low: 40, high: 61 }],
])('the interval of the median of %s values', (count, expected) => {
  const interval = medianInterval(numbers(count))
  if (expected === null) expect(interval).toBeNull()
  else expect(interval).toMatchObject(expected)
})

test('the interval exists for a thousand values', () => {
  const interval = medianInterval(numbers(1000))
  expect(interval?.low).toBe(469)
  expect(interval?.high).toBe(532)
})

test('quantiles are linear between neighbours', () => {
  expect(quantile(ascending([4, 1, 3, 2]), 0.25)).toBe(1.75)
})

test('log outliers are factors away from the median, in both directions', () => {
  expect(withoutLogOutliers([10, 11, 12, 13, 14, 1, 150])).toEqual([10, 11, 12, 13, 14])
  expect(withoutLogOutliers([10, 10, 10, 500])).toEqual([10, 10, 10, 500])
})

test('a median weighted by age halves the weight of a sale every 30 days', () => {
  const now = new Date('2026-06-30T00:00:00Z')
  const sale = (price: number, soldOn: string | null) => ({ price, soldOn })
  expect(weightedMedian([sale(10, '2026-05-31'), sale(20, '2026-06-30')], now)).toBe(20)
  expect(weightedMedian([sale(10, '2026-06-30'), sale(20, '2026-06-30')], now)).toBe(15)
  expect(weightedMedian([sale(10, null), sale(20, '2026-05-31')], now)).toBe(15)
  expect(weightedMedian([], now)).toBeNull()
})
