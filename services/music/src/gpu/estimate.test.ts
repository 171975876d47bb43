import { expect, test } from 'vitest'
import { estimatedWait, expectedSeconds } from './estimate.ts'

test('a run is expected to take as long as others did, a late one counting more than one before it', () => {
  expect(expectedSeconds([])).toBeUndefined()
  expect(expectedSeconds([10])).toBe(10)
  expect(expectedSeconds([10, 20])).toBeCloseTo(13)
  expect(expectedSeconds([10, 10, 10, 40])).toBeGreaterThan(expectedSeconds([10, 40, 10, 10]) ?? 0)
})

test.each([
  ['nothing where a slot is free', { total: 2, running: 1, queued: 0 }, 8, 0],
  ['nothing where none has run yet and a slot is free', { total: 2, running: 0, queued: 0 }, undefined, 0],
  ['one run of the slots where all are taken', { total: 2, running: 2, queued: 0 }, 8, 4],
  ['more with each that waits before it', { total: 2, running: 2, queued: 3 }, 8, 16],
  ['what nobody knows where none has run', { total: 1, running: 1, queued: 0 }, undefined, null],
  ['what nobody knows where nothing runs at all', { total: 0, running: 0, queued: 2 }, 8, null],
] as const)('who asks waits %s', (_what, load, expected, seconds) => {
  expect(estimatedWait(load, expected)).toBe(seconds)
})
