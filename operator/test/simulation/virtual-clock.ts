import type { Clock } from '../../src/runtime/mod.ts'

/** Time that stands still until it is told to go on. */
export type VirtualClock = Clock & {
  /** Lets so many milliseconds pass: what falls due is done in order, and what follows from it before the next. */
  advance: (milliseconds: number) => Promise<void>
  /** Lets time pass until the condition holds; false if it does not within so many milliseconds. */
  until: (condition: () => boolean, limit: number) => Promise<boolean>
}

type Timer = { due: number; order: number; callback: () => void }

/** The shortest wait in milliseconds: less than that, added to a large number, may be nothing, and time would stand still. */
const minWait = 0.001

/** Everything that promises lead to without waiting for time is done when this resolves. */
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

/** Starts at the given time, in milliseconds since 1970. */
export const createVirtualClock = (start = Date.UTC(2030, 0, 1)): VirtualClock => {
  let elapsed = 0
  let order = 0
  /** The next one is last. */
  const timers: Timer[] = []

  const isReserved = (a: Timer, b: Timer) => a.due > b.due || (a.due === b.due && a.order > b.order)

  const after: Clock['after'] = (milliseconds, callback) => {
    order += 1
    const timer = { due: elapsed + (milliseconds > 0 ? Math.max(minWait, milliseconds) : 0), order, callback }
    let low = 0
    for (let high = timers.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = timers[middle]
      if (other && isReserved(other, timer)) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return () => {
      const at = timers.indexOf(timer)
      if (at >= 0) timers.splice(at, 1)
    }
  }

  /** Does the next thing that falls due by then; false where there is none. */
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
