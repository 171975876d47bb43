import type { Random } from './clock.ts'

export type BackoffOptions = {
  /** Milliseconds before the first repetition. */
  initial: number
  /** Milliseconds that no wait exceeds, before jitter. */
  limit: number
  /** What each wait is multiplied with for the next; 2 unless told. */
  factor?: number
  /** Up to this share of a wait is added to it by chance, so that many clients do not return at once; 0 unless told. */
  jitter?: number
}

/** Waits that grow with each failure until they are reset. */
export type Backoff = {
  /** The milliseconds to wait now. */
  next: () => number
  reset: () => void
  /** How many waits were given since the last reset. */
  attempts: () => number
}

/** The wait before repetition number `attempt`, counted from 0, in milliseconds, without jitter. */
export const backoffAt = (attempt: number, { initial, limit, factor = 2 }: BackoffOptions): number =>
  Math.min(limit, initial * factor ** Math.min(attempt, 64))

export const createBackoff = (options: BackoffOptions, random: Random): Backoff => {
  let attempts = 0
  return {
    next: () => {
      const wait = backoffAt(attempts, options)
      attempts += 1
      return wait * (1 + random() * (options.jitter ?? 0))
    },
    reset: () => {
      attempts = 0
    },
    attempts: () => attempts,
  }
}
