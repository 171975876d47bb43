import { expect, test } from 'vitest'
import { createMedianFilter, oddTaps } from './median-filter.ts'
import { createRandom } from './random.ts'

const random = createRandom(2)

/** The median of a window that is mirrored at the ends, by its definition. */
const medianAt = (values: Float32Array, at: number, taps: number): number => {
  const reach = (taps - 1) / 2
  const window = Array.from({ length: taps }, (_, i) => {
    let index = at + i - reach
    while (index < 0 || index >= values.length) index = index < 0 ? -index - 1 : 2 * values.length - 1 - index
    return values[index] ?? 0
  })
  return window.toSorted((a, b) => a - b)[reach] ?? 0
}

test.each([
  [3, 1],
  [3, 100],
  [17, 5],
  [17, 500],
  [31, 200],
])('a filter of %d taps yields the medians of %d values', (taps, count) => {
  // Few distinct values, so that many are equal.
  const values = Float32Array.from({ length: count }, () => Math.floor(random.next() * 20))
  const out = new Float32Array(count)
  createMedianFilter(taps)(values, out, count)
  expect([...out]).toEqual(Array.from(values, (_, at) => medianAt(values, at, taps)))
})

test('taps are odd, and at least three', () => {
  expect([0, 3.9, 4.1, 17, 18].map(oddTaps)).toEqual([3, 3, 5, 17, 19])
})
