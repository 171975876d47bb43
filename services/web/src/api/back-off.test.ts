import { expect, test } from 'vitest'
import { backOffMilliseconds } from './back-off.ts'

test('waits double from half a second to fifteen seconds', () => {
  expect([1, 2, 3, 6, 20].map((failures) => backOffMilliseconds(failures, () => 1))).toEqual([
    500, 1_000, 2_000, 15_000, 15_000,
  ])
})

test('a random part of the wait is left out, at most half', () => {
  expect(backOffMilliseconds(3, () => 0)).toBe(1_000)
})
