import type { DesiredStatus } from './run-status.ts'

/** Milliseconds to wait for the final report after a worker has ended or failed. */
export const reportPatience = 30_000

/**
 * Minimum milliseconds in which a run may start before its status shows it as starting: most start sooner, which saves the
 * write. A pod takes a second on an idle node.
 */
export const startingQuietly = 3_000

/**
 * Milliseconds in which a service may conclude a run before its status shows that only its worker is done. The event
 * stays unacknowledged meanwhile, so it is shorter than the patience of `RunEvents`.
 */
export const concludingQuietly = 1_000

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

/** Debounces a state that is usually short-lived: it is written if it still holds at `until`. */
const debounced = (until: number, { now, left }: Time, desiredStatus: DesiredStatus): Waiting =>
  until > now ? wait(Math.min(left, until - now)) : wait(left, desiredStatus)

/** The run has a worker that has not started; its status shows that from `quietUntil`. */
export const starting = (quietUntil: number, time: Time, desiredStatus: DesiredStatus): Waiting =>
  debounced(quietUntil, time, desiredStatus)

/** The worker was done at `workedAt`, and the service has yet to conclude the run; `message` describes that. */
export const concluding = (workedAt: number, time: Time, message: string): Waiting =>
  debounced(workedAt + concludingQuietly, time, { phase: 'Running', reason: 'Finished', message })

/** Waits for the final report after a worker has ended or failed, then decides `otherwise`. */
export const awaitReport = <Otherwise>(
  since: number,
  { now, left }: Time,
  otherwise: Otherwise,
): Waiting | Otherwise => {
  const patience = since + reportPatience - now
  return patience > 0 ? wait(Math.min(left, patience)) : otherwise
}
