import { setTimeout as sleepFor } from 'node:timers/promises'

/** Time as the runtime asks for it, so that tests can say what it is. */
export type Clock = {
  /** Milliseconds since 1970, for what people and other machines read. */
  now: () => number
  /** Milliseconds on a clock that nobody sets, for everything that is measured. It goes on while the process is stopped. */
  monotonic: () => number
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Calls back once after so many milliseconds; gives what calls it off. It keeps no process alive. */
  after: (milliseconds: number, callback: () => void) => () => void
}

/** The longest that a timer of Node can wait. */
const longestTimer = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await sleepFor(Math.min(milliseconds, longestTimer), undefined, signal ? { signal } : {})
  },
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, Math.min(milliseconds, longestTimer)).unref()
    return () => clearTimeout(timer)
  },
}

/** A number from 0 up to 1, as Math.random gives. */
export type Random = () => number
