import { expect, test } from 'vitest'
import { estimatedWait, expectedSeconds } from './estimate.ts'

test('the expected duration is a mean of past runs that weighs later ones more', () => {
  expect(expectedSeconds([])).toBeUndefined()
  expect(expectedSeconds([10])).toBe(10)
  expect(expectedSeconds([10, 20])).toBeCloseTo(13)
  expect(expectedSeconds([10, 10, 10, 40])).toBeGreaterThan(expectedSeconds([10, 40, 10, 10]) ?? 0)
})

test.each([
  ['zero where a slot is free', { total: 2, running: 1, queued: 0 }, 8, 0],
  ['zero where none has run yet and a slot is free', { total: 2, running: 0, queued: 0 }, undefined, 0],
  ['one run divided by the slots where all are taken', { total: 2, running: 2, queued: 0 }, 8, 4],
  ['longer with each run in the queue', { total: 2, running: 2, queued: 3 }, 8, 16],
  ['unknown where none has run', { total: 1, running: 1, queued: 0 }, undefined, null],
  ['unknown where there are no slots', { total: 0, running: 0, queued: 2 }, 8, null],
] as const)('the estimated wait is %s', (_what, load, expected, seconds) => {
  expect(estimatedWait(load, expected)).toBe(seconds)
})
