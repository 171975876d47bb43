/** Pauses between attempts, in any one unit of time. */
export type BackoffOptions = {
  /** The pause after the first failure. */
  readonly initial: number
  /** The longest pause. */
  readonly max: number
  /** The fraction of a pause that is left to chance, 0 to 1, so that what failed at the same time is not retried at the same time; 0.5 by default. */
  readonly jitter?: number
}

/** Draws a number from 0 up to 1. */
export type Random = () => number

/** Doublings past which a pause has long reached any maximum. */
const maxDoublings = 64

/** The pause after this many failures in a row, counted from 1. It doubles with each failure. */
export const backoff = (
  failures: number,
  { initial, max, jitter = 0.5 }: BackoffOptions,
  random: Random = Math.random,
): number => {
  const whole = Math.min(max, initial * 2 ** Math.min(failures - 1, maxDoublings))
  return whole * (1 - jitter + jitter * random())
}

/** Counts failures in a row. */
export type Backoff = {
  /** Counts a failure and returns the pause after it. */
  readonly next: () => number
  /** Starts over after a success. */
  readonly reset: () => void
  readonly failures: () => number
}

export const createBackoff = (options: BackoffOptions, random?: Random): Backoff => {
  let failures = 0
  return {
    next: () => {
      failures += 1
      return backoff(failures, options, random)
    },
    reset: () => {
      failures = 0
    },
    failures: () => failures,
  }
}
