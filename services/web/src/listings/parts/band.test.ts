import { expect, test } from 'vitest'
import { bandOf } from './band.ts'

test('without a median there is no band', () => {
  expect(bandOf(null, undefined, [1, 2])).toBeUndefined()
})

test('the median lies within the middle half, and all prices on the line', () => {
  const band = bandOf(100, [80, 130], [1, 70, 90, 100, 100, 100, 140, 5_000])
  expect(band).toBeDefined()
  if (!band) return
  expect(band.low).toBeLessThan(band.median)
  expect(band.median).toBeLessThan(band.high)
  for (const place of band.prices) {
    expect(place).toBeGreaterThanOrEqual(0)
    expect(place).toBeLessThanOrEqual(1)
  }
})
