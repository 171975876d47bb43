import { expect, test } from 'vitest'
import { outlineOf } from './outline.ts'

test('the outline runs above the middle and back below it, over all waves by their lengths', () => {
  const waves = [
    { key: 'a', seconds: 1, min: [-0.5], max: [0.5] },
    { key: 'b', seconds: 1, min: [-1], max: [1] },
  ]
  expect(outlineOf(waves, 4)).toBe('M0 0.50L1 0.50L2 0.00L3 0.00L3 2.00L2 2.00L1 1.50L0 1.50Z')
})

test('there is no outline without peaks', () => {
  expect(outlineOf([], 4)).toBe('')
  expect(outlineOf([{ key: 'a', seconds: 2, min: [], max: [] }], 4)).toBe('')
})
