import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum attempts of one request, and the time in milliseconds after which no attempt starts. */
const maxTries = 6
const limitMilliseconds = 15_000
const firstPauseMilliseconds = 100
const longestPauseMilliseconds = 3_000

/** Which errors of a store are retried, and how. */
export type RetryPolicy = {
  /** Whether a retry of the same request may succeed. */
  isRetryable: (error: unknown) => boolean
  /** The pause that the store requests, in seconds. */
  retryAfterSeconds: (error: unknown) => number
  /** The error to throw when the attempts are used up. */
  onExhausted: (error: unknown) => unknown
}

/** Counts attempts and pauses between them. */
export type Attempts = {
  /** Waits after a retryable error. Throws other errors, `onExhausted` when attempts or time are used up, and the signal's reason when it aborts. */
  pause: (error: unknown) => Promise<void>
  /** Resets the count after progress. */
  reset: () => void
}

/** The pause in milliseconds: exponential with jitter between half and all of it, or what the store requests if that is longer. */
const pauseAfter = (tried: number, retryAfterSeconds: number): number => {
  const doubled = firstPauseMilliseconds * 2 ** (tried - 1) * (0.5 + Math.random() / 2)
  return Math.min(Math.max(retryAfterSeconds * 1_000, doubled), longestPauseMilliseconds)
}

export const createAttempts = (policy: RetryPolicy, signal?: AbortSignal): Attempts => {
  let tried = 0
  let began = performance.now()
  return {
    pause: async (error) => {
      signal?.throwIfAborted()
      if (!policy.isRetryable(error)) throw error
      tried += 1
      const late = performance.now() - began > limitMilliseconds
      if (tried >= maxTries || late) throw policy.onExhausted(error)
      const wait = pauseAfter(tried, policy.retryAfterSeconds(error))
      await sleep(wait, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    },
    reset: () => {
      tried = 0
      began = performance.now()
    },
  }
}

/** Retries an idempotent task until it succeeds or fails permanently. */
export const retrying = async <Value>(
  policy: RetryPolicy,
  task: (again: boolean) => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> => {
  const attempts = createAttempts(policy, signal)
  for (let again = false; ; again = true) {
    try {
      return await task(again)
    } catch (error) {
      await attempts.pause(error)
    }
  }
}
