import { setTimeout as sleep } from 'node:timers/promises'

/** Tries of one request, and the time (ms) after which none begins. */
const maxTries = 6
const limitMilliseconds = 15_000
const firstPauseMilliseconds = 100
const longestPauseMilliseconds = 3_000

/** What a store's errors mean for trying again. */
export type RetryPolicy = {
  /** Whether the same request may fare better in a moment. */
  isRetryable: (error: unknown) => boolean
  /** The pause that the store asked for. */
  retryAfterSeconds: (error: unknown) => number
  /** What is thrown where enough was tried. */
  onExhausted: (error: unknown) => unknown
}

/** Tries that are counted and paused between. */
export type Attempts = {
  /** Waits after what may pass. Throws what may not, and what the judge says where enough was tried; the signal's reason when it aborts. */
  pause: (error: unknown) => Promise<void>
  /** Begins to count anew: something came of it. */
  reset: () => void
}

/** How long to wait: doubling, by chance between half and all of it, or what the store asked for. */
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

/** Runs something that may be done twice until it succeeds, or fails for good. */
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
