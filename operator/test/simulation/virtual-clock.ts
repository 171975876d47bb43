import type { Clock } from '../../src/runtime/mod.ts'

/** A clock that advances only when a test advances it. */
export type VirtualClock = Clock & {
  /** Advances the clock, in milliseconds. Timers fire in order, and promise callbacks settle between timers. */
  advance: (milliseconds: number) => Promise<void>
  /** Advances the clock until the condition holds; false if it does not hold within `limit` milliseconds. */
  until: (condition: () => boolean, limit: number) => Promise<boolean>
}

type Timer = { due: number; order: number; callback: () => void }

/** The shortest wait in milliseconds: a smaller one, added to a large number, may round to nothing, and time would not advance. */
const minWait = 0.001

/** Resolves after all promise callbacks that do not wait for a timer have run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** `clock.sleep` on top of `clock.after`. */
const sleepOn =
  (after: Clock['after']): Clock['sleep'] =>
  (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const cancel = after(milliseconds, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      const stop = () => {
        cancel()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })

/** Creates a clock that starts at `start`, in milliseconds since 1970. */
export const createVirtualClock = (start = Date.UTC(2030, 0, 1)): VirtualClock => {
  let elapsed = 0
  let order = 0
  /** Sorted with the next timer last. */
  const timers: Timer[] = []

  const isLater = (a: Timer, b: Timer) => a.due > b.due || (a.due === b.due && a.order > b.order)

  const after: Clock['after'] = (milliseconds, callback) => {
    order += 1
    const timer = { due: elapsed + (milliseconds > 0 ? Math.max(minWait, milliseconds) : 0), order, callback }
    let low = 0
    for (let high = timers.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = timers[middle]
      if (other && isLater(other, timer)) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return () => {
      const at = timers.indexOf(timer)
      if (at >= 0) timers.splice(at, 1)
    }
  }

  /** Fires the next timer due by then; false if there is none. */
  const step = async (by: number): Promise<boolean> => {
    const next = timers.at(-1)
    if (!next || next.due > by) return false
    timers.pop()
    elapsed = Math.max(elapsed, next.due)
    next.callback()
    await settle()
    return true
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after,
    sleep: sleepOn(after),
    advance: async (milliseconds) => {
      const target = elapsed + milliseconds
      await settle()
      while (await step(target));
      elapsed = target
    },
    until: async (condition, limit) => {
      const target = elapsed + limit
      await settle()
      while (!condition()) {
        if (await step(target)) continue
        elapsed = target
        return condition()
      }
      return true
    },
  }
}
