import type { DesiredStatus } from './run-status.ts'

/** Milliseconds that a worker which has ended, or failed, waits for the word that is missing. */
export const reportPatience = 30_000

/** Milliseconds in which a run may start without a status that says it is starting: most do, and are spared the write. */
export const startingQuietly = 1_000

/** Milliseconds after which a run that waits for room, or for what was before it to end, looks again; most are woken before. */
export const lookedAgain = 5_000

/** Milliseconds after which what the API server refused is asked for again. */
export const refusedAgain = 10_000

/** The decision to do nothing for `milliseconds`; the status is to say so now, or what it says already will do. */
export type Waiting = { kind: 'wait'; milliseconds: number; desiredStatus?: DesiredStatus }

/** `now` in milliseconds since 1970, and the milliseconds that are `left` until the deadline of the run. */
type Time = { now: number; left: number }

export const wait = (milliseconds: number, desiredStatus?: DesiredStatus): Waiting => ({
  kind: 'wait',
  milliseconds,
  ...(desiredStatus ? { desiredStatus } : {}),
})

/** Some things most often pass before anybody could read of them: they are written when they have lasted. */
export const debounced = (since: number, { now, left }: Time, desiredStatus: DesiredStatus): Waiting => {
  const quiet = since + startingQuietly - now
  return quiet > 0 ? wait(Math.min(left, quiet)) : wait(left, desiredStatus)
}

/** A worker ended, or failed, and the last word on it is missing: nothing is said for a while. */
export const awaitReport = <Otherwise>(
  since: number,
  { now, left }: Time,
  otherwise: Otherwise,
): Waiting | Otherwise => {
  const patience = since + reportPatience - now
  return patience > 0 ? wait(Math.min(left, patience)) : otherwise
}
