import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wilsonLowerBound } from './wilson.ts'

test('few feedbacks prove little, even if all are positive', () => {
  expect(wilsonLowerBound(1, 1)).toBeCloseTo(0.2065, 4)
  expect(wilsonLowerBound(1, 10)).toBeCloseTo(0.7225, 4)
  expect(wilsonLowerBound(0.99, 500)).toBeCloseTo(0.9769, 3)
  expect(wilsonLowerBound(0, 5)).toBe(0)
  expect(wilsonLowerBound(1, 0)).toBeNull()
})

test('the bound is at most the share, and grows with the number of feedbacks', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 1e6 }), (share, count) => {
      const bound = wilsonLowerBound(share, count) ?? -1
      expect(bound).toBeGreaterThanOrEqual(0)
      expect(bound).toBeLessThanOrEqual(share + 1e-9)
      expect(wilsonLowerBound(share, count + 1) ?? -1).toBeGreaterThanOrEqual(bound - 1e-9)
    }),
  )
})
