import type { DesiredStatus } from './run-status.ts'

/** Milliseconds to wait for the final report after a worker has ended or failed. */
export const reportPatience = 30_000

/**
 * Milliseconds in which a run may start before its status shows it as starting: most start sooner, which saves the
 * write.
 */
export const startingQuietly = 1_000

/**
 * Milliseconds after which a run that waits for a slot, or for a previous run's worker to end, is checked again; most
 * are woken earlier.
 */
export const lookedAgain = 5_000

/** Milliseconds after which a request that the API server rejected is retried. */
export const refusedAgain = 10_000

/** The decision to do nothing for `milliseconds`; writes `desiredStatus` first if it is set. */
export type Waiting = { kind: 'wait'; milliseconds: number; desiredStatus?: DesiredStatus }

/** `now` in milliseconds since 1970, and the milliseconds `left` until the run's deadline. */
type Time = { now: number; left: number }

export const wait = (milliseconds: number, desiredStatus?: DesiredStatus): Waiting => ({
  kind: 'wait',
  milliseconds,
  ...(desiredStatus ? { desiredStatus } : {}),
})

/** Debounces a state that is usually short-lived: it is written once it has lasted. */
export const debounced = (since: number, { now, left }: Time, desiredStatus: DesiredStatus): Waiting => {
  const quiet = since + startingQuietly - now
  return quiet > 0 ? wait(Math.min(left, quiet)) : wait(left, desiredStatus)
}

/** Waits for the final report after a worker has ended or failed, then decides `otherwise`. */
export const awaitReport = <Otherwise>(
  since: number,
  { now, left }: Time,
  otherwise: Otherwise,
): Waiting | Otherwise => {
  const patience = since + reportPatience - now
  return patience > 0 ? wait(Math.min(left, patience)) : otherwise
}
