import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing, StoreRefusal, toStoreFailure } from './refusal.ts'

/** Tries of one request, and the time (ms) after which none begins. */
const maximumTries = 6
const limitMilliseconds = 15_000
const firstPauseMilliseconds = 100
const longestPauseMilliseconds = 3_000

/** How long to wait after a failed try: doubling, by chance between half and all of it, or what the store asked for. */
const pauseAfter = (tried: number, error: unknown): number => {
  const asked = error instanceof StoreRefusal ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
  const doubled = firstPauseMilliseconds * 2 ** (tried - 1) * (0.5 + Math.random() / 2)
  return Math.min(Math.max(asked, doubled), longestPauseMilliseconds)
}

/** Tries that are counted and paused between. */
export type Tries = {
  /** Waits after what may pass. Throws what may not, and `unavailable` where enough was tried; the signal's reason when it aborts. */
  pause: (error: unknown) => Promise<void>
  /** Begins to count anew: something came of it. */
  reset: () => void
}

export const createTries = (signal: AbortSignal | undefined): Tries => {
  let tried = 0
  let began = performance.now()
  return {
    pause: async (error) => {
      signal?.throwIfAborted()
      tried += 1
      const late = performance.now() - began > limitMilliseconds
      if (!isPassing(error)) throw error
      if (tried >= maximumTries || late) throw toStoreFailure(error)
      await sleep(pauseAfter(tried, error), undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    },
    reset: () => {
      tried = 0
      began = performance.now()
    },
  }
}

/** Runs something that may be done twice until it succeeds, or fails for good. */
export const retrying = async <Value>(
  task: (again: boolean) => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  const tries = createTries(signal)
  for (let again = false; ; again = true) {
    try {
      return await task(again)
    } catch (error) {
      await tries.pause(error)
    }
  }
}
