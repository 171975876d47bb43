import { expect, test } from 'vitest'
import { checkAfterFailure, nextCheck } from './schedule.ts'

const now = new Date('2026-03-01T12:00:00Z')
const minutesUntil = (time: string) => (Date.parse(time) - now.getTime()) / 60_000

test('a monitor is due after its interval, and up to a tenth later', () => {
  const due = (random: number) => minutesUntil(nextCheck({ now, intervalMinutes: 60, random: () => random }))
  expect([due(0), due(0.5), due(1)]).toEqual([60, 63, 66])
})

test.each([
  [1, null, 30],
  [2, null, 60],
  [4, null, 240],
  [7, null, 1440],
  [100, null, 1440],
  [1, 7200, 120],
  [1, 60, 30],
])(
  'after %d failures, with a Retry-After of %s s, a monitor of 15 minutes waits %d minutes',
  (failures, retryAfterSeconds, expected) => {
    const schedule = { now, intervalMinutes: 15, random: () => 0 }
    expect(minutesUntil(checkAfterFailure(schedule, { failures, retryAfterSeconds }))).toBe(expected)
  },
)
