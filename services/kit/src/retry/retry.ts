import { setTimeout as sleep } from 'node:timers/promises'
import { type BackoffOptions, createBackoff, type Random } from './backoff.ts'

/** Which errors are retried, for how long, and with which pauses in milliseconds. */
export type RetryPolicy = {
  readonly backoff: BackoffOptions
  /** Whether the same attempt may succeed later. `failures` in a row are counted from 1. */
  readonly isRetryable: (error: unknown, failures: number) => boolean
  /** Attempts in all; any number by default. */
  readonly maxAttempts?: number
  /** No attempt starts later than this after the first, in milliseconds; any time by default. */
  readonly withinMilliseconds?: number
  /** The pause that the other side requests, in milliseconds: a shorter one is not made, a longer one than `backoff.max` neither. */
  readonly requestedPause?: (error: unknown) => number | undefined
  /** The error to throw when attempts or time are used up; by default the last one. */
  readonly onExhausted?: (error: unknown) => unknown
  /** Called with the error before each pause. */
  readonly onRetry?: (error: unknown) => void
  readonly random?: Random
}

/** The attempts of one task. */
export type Attempts = {
  /** Waits after a retryable error. Throws other errors, `onExhausted` when attempts or time are used up, and the signal's reason when it aborts. */
  readonly pause: (error: unknown) => Promise<void>
  /** Resets the count and the time, after progress. */
  readonly reset: () => void
}

export const createAttempts = (policy: RetryPolicy, signal?: AbortSignal): Attempts => {
  const { maxAttempts = Infinity, withinMilliseconds = Infinity, onExhausted = (error) => error } = policy
  const backoff = createBackoff(policy.backoff, policy.random)
  let startedAt = performance.now()
  return {
    pause: async (error) => {
      signal?.throwIfAborted()
      if (!policy.isRetryable(error, backoff.failures() + 1)) throw error
      const requested = Math.min(policy.requestedPause?.(error) ?? 0, policy.backoff.max)
      const pause = Math.max(requested, backoff.next())
      const isLate = performance.now() - startedAt + pause > withinMilliseconds
      if (backoff.failures() >= maxAttempts || isLate) throw onExhausted(error)
      policy.onRetry?.(error)
      await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted())
    },
    reset: () => {
      backoff.reset()
      startedAt = performance.now()
    },
  }
}

/**
 * Repeats an idempotent task until it succeeds or its policy is exhausted. `isAgain` is false for the first attempt.
 * Throws what `Attempts.pause` throws.
 */
export const retry = async <Value>(
  policy: RetryPolicy,
  task: (isAgain: boolean) => Value | Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> => {
  const attempts = createAttempts(policy, signal)
  for (let isAgain = false; ; isAgain = true) {
    signal?.throwIfAborted()
    try {
      return await task(isAgain)
    } catch (error) {
      await attempts.pause(error)
    }
  }
}
