import { type BackoffOptions, backoff } from '@trellis/kit/retry'

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
 * Where a run failed: outside, at the marketplace or by a saved search that cannot be run, where another attempt soon would not help; or within this
 * installation, where it may.
 */
export type FailurePlace = 'outside' | 'installation'

/** Pauses after failures, in minutes, for an interval. */
const pauses: Readonly<Record<FailurePlace, (intervalMinutes: number) => BackoffOptions>> = {
  outside: (intervalMinutes) => ({
    initial: Math.min(2 * intervalMinutes, longestPause),
    max: longestPause,
    jitter: 0,
  }),
  // An outage fails the runs of all monitors at once: half of the pause spreads them.
  installation: (intervalMinutes) => ({ initial: 2, max: intervalMinutes, jitter: 0.5 }),
}

export type Failures = {
  readonly place: FailurePlace
  /** Failures in a row at that place, from 1. */
  readonly count: number
  /** The pause that the marketplace requests, in seconds. */
  readonly retryAfterSeconds: number | null
}

/**
 * When a monitor is due after failures. The pause doubles with each: outside from twice the interval up to a day, within this installation from one or two
 * minutes up to the interval. It is not shorter than the marketplace's `Retry-After`.
 */
export const checkAfterFailure = (schedule: Schedule, { place, count, retryAfterSeconds }: Failures): string => {
  const pause = backoff(count, pauses[place](schedule.intervalMinutes), schedule.random)
  return after(schedule, Math.max(pause, (retryAfterSeconds ?? 0) / 60))
}
