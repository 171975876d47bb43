import { setTimeout as sleepFor } from 'node:timers/promises'

/** Time source of the runtime, which tests replace. */
export type Clock = {
  /** Milliseconds since 1970, for timestamps that people and other machines read. */
  now: () => number
  /**
   * Milliseconds on a clock that is never adjusted, for measuring durations. It advances while the process is
   * suspended.
   */
  monotonic: () => number
  /** Resolves after this many milliseconds; rejects with the signal's reason if that fires first. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /**
   * Calls back once after this many milliseconds; returns a function that cancels it. It does not keep the process
   * alive.
   */
  after: (milliseconds: number, callback: () => void) => () => void
}

/** The longest timeout that Node's timers support. */
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

/** Returns a number in [0, 1), like Math.random. */
export type Random = () => number
