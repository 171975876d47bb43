import type { Random } from './clock.ts'

export type BackoffOptions = {
  /** Milliseconds before the first retry. */
  initial: number
  /** Maximum delay in milliseconds, before jitter. */
  limit: number
  /** Growth factor between delays; 2 by default. */
  factor?: number
  /**
   * Up to this fraction of the delay is added at random, so that many clients do not retry at the same time; 0 by
   * default.
   */
  jitter?: number
}

/** Delays that grow with each failure until they are reset. */
export type Backoff = {
  /** Returns the delay for this failure in milliseconds and advances to the next. */
  next: () => number
  reset: () => void
  /** Number of delays returned since the last reset. */
  attempts: () => number
}

/** The delay in milliseconds before retry number `attempt`, counted from 0, without jitter. */
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
