import { backoff } from '@trellis/kit/retry'

const minute = 60_000
/** Longest pause after failures, in minutes. */
const longestPause = 1440
/** Share of an interval that is added at random, so that monitors that started together do not stay together. */
const jitter = 0.1

export type Schedule = { readonly now: Date; readonly intervalMinutes: number; readonly random?: () => number }

const after = ({ now, random = Math.random }: Schedule, minutes: number): string =>
  new Date(now.getTime() + minutes * minute * (1 + jitter * random())).toISOString()

/** When a monitor is due after a run that succeeded. It counts from now: runs that were missed are not made up for. */
export const nextCheck = (schedule: Schedule): string => after(schedule, schedule.intervalMinutes)

/**
 * When a monitor is due after its last `failures` runs failed: the pause doubles with each, up to a day, and is not shorter
 * than the marketplace's `Retry-After`.
 */
export const checkAfterFailure = (
  schedule: Schedule,
  { failures, retryAfterSeconds }: { readonly failures: number; readonly retryAfterSeconds: number | null },
): string => {
  const pause = backoff(failures + 1, { initial: schedule.intervalMinutes, max: longestPause, jitter: 0 })
  return after(schedule, Math.max(pause, (retryAfterSeconds ?? 0) / 60))
}
