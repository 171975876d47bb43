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
  (count, retryAfterSeconds, expected) => {
    const schedule = { now, intervalMinutes: 15, random: () => 0 }
    expect(minutesUntil(checkAfterFailure(schedule, { place: 'outside', count, retryAfterSeconds }))).toBe(expected)
  },
)

test.each([
  [1, 15, null, 2],
  [2, 15, null, 4],
  [4, 15, null, 15],
  [100, 15, null, 15],
  [8, 1440, null, 256],
  [100, 1440, null, 1440],
  [1, 15, 600, 10],
])(
  'after %d failures of this installation, a monitor of %d minutes with a Retry-After of %s s waits at most %d minutes',
  (count, intervalMinutes, retryAfterSeconds, expected) => {
    const due = (random: number) => {
      const schedule = { now, intervalMinutes, random: () => random }
      return minutesUntil(checkAfterFailure(schedule, { place: 'installation', count, retryAfterSeconds }))
    }
    const requested = (retryAfterSeconds ?? 0) / 60
    expect(due(0)).toBe(Math.max(expected / 2, requested))
    expect(due(1)).toBeCloseTo(expected * 1.1, 3)
  },
)
