import { type BackoffOptions, backoff as pauseAfter } from '@trellis/kit/retry'
import type { Clock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'

/** Priority of keys whose reconcile something else waits for: above live changes. */
export const awaitedPriority = 100

/** Priority of live changes. */
export const freshPriority = 0

/** Priority of initial objects and resyncs: below live changes. */
export const resyncPriority = -100

export type QueueOptions = {
  name: string
  clock: Clock
  metrics: RuntimeMetrics
  /** Backoff after failures of one key. */
  backoff?: BackoffOptions
}

/**
 * Keys to process. A key waits at most once; one that is added while in progress is handed out again when that work is
 * done, never to two workers at a time. Higher priorities go first, FIFO within a priority.
 */
export type Queue = {
  add: (key: string, priority?: number) => void
  /**
   * Adds the key after this many milliseconds; of several such calls, the earliest wins. Taking the key earlier cancels
   * them: that work sees the present state, and decides itself when to look again.
   */
  addAfter: (key: string, milliseconds: number, priority?: number) => void
  /** Adds the key after a delay that grows with every call until `resetBackoff`. */
  addRateLimited: (key: string, priority?: number) => void
  /** Resets the failure count, and so the backoff, of a key. */
  resetBackoff: (key: string) => void
  /** Number of failures since the last reset. */
  failures: (key: string) => number
  /** Resolves with the next key once there is one; undefined after shutdown. The caller must call `done` for it. */
  take: () => Promise<string | undefined>
  done: (key: string) => void
  /** Number of keys ready to be taken. */
  readonly length: number
  /** Number of keys whose delay is running. */
  readonly delayed: number
  /** Accepts no more keys and hands none out. */
  shutdown: () => void
}

/** 5 ms, doubled with each failure up to 1,000 s, as in controller-runtime. */
/** Without jitter: keys fail one by one. */
const defaultBackoff: BackoffOptions = { initial: 5, max: 1_000_000, jitter: 0 }

type Delayed = { due: number; priority: number; cancel: () => void }

export const createQueue = ({ name, clock, metrics, backoff = defaultBackoff }: QueueOptions): Queue => {
  /** Waiting keys by priority, in insertion order. */
  const ready = new Map<number, Set<string>>()
  const waiting = new Map<string, { priority: number; since: number }>()
  const working = new Map<string, number>()
  /** Keys that were added while in progress. */
  const dirty = new Map<string, number>()
  const delayed = new Map<string, Delayed>()
  const failures = new Map<string, number>()
  const takers: ((key: string | undefined) => void)[] = []
  let isShutDown = false

  const seconds = (since: number) => (clock.monotonic() - since) / 1_000
  const instruments = metrics.queue(name, () => ({
    name,
    depth: new Map([...ready].map(([priority, keys]) => [priority, keys.size])),
    working: [...working.values()].map(seconds),
  }))

  const wait = (key: string, priority: number, since: number) => {
    waiting.set(key, { priority, since })
    const keys = ready.get(priority)
    if (keys) keys.add(key)
    else ready.set(priority, new Set([key]))
  }

  const unwait = (key: string, priority: number) => {
    waiting.delete(key)
    const keys = ready.get(priority)
    keys?.delete(key)
    if (keys?.size === 0) ready.delete(priority)
  }

  const next = (): string | undefined => {
    if (ready.size === 0) return undefined
    return ready
      .get(Math.max(...ready.keys()))
      ?.values()
      .next().value
  }

  const handOut = (key: string): string => {
    const entry = waiting.get(key)
    if (entry) {
      unwait(key, entry.priority)
      instruments.waited(seconds(entry.since))
    }
    delayed.get(key)?.cancel()
    delayed.delete(key)
    working.set(key, clock.monotonic())
    return key
  }

  const add = (key: string, priority = freshPriority) => {
    if (isShutDown) return
    const held = waiting.get(key)
    if (held) {
      if (held.priority >= priority) return
      unwait(key, held.priority)
      wait(key, priority, held.since)
      return
    }
    if (working.has(key)) {
      const before = dirty.get(key)
      if (before === undefined) instruments.added()
      dirty.set(key, Math.max(priority, before ?? priority))
      return
    }
    instruments.added()
    wait(key, priority, clock.monotonic())
    const taker = takers.shift()
    if (taker) taker(handOut(key))
  }

  const addAfter = (key: string, milliseconds: number, priority = freshPriority) => {
    if (isShutDown) return
    const due = clock.monotonic() + Math.max(0, milliseconds)
    const held = delayed.get(key)
    if (held && held.due <= due) {
      held.priority = Math.max(held.priority, priority)
      return
    }
    held?.cancel()
    if (milliseconds <= 0) {
      delayed.delete(key)
      add(key, priority)
      return
    }
    const entry: Delayed = {
      due,
      priority: Math.max(priority, held?.priority ?? priority),
      cancel: clock.after(milliseconds, () => {
        delayed.delete(key)
        add(key, entry.priority)
      }),
    }
    delayed.set(key, entry)
  }

  return {
    add,
    addAfter,
    addRateLimited: (key, priority) => {
      const failed = failures.get(key) ?? 0
      failures.set(key, failed + 1)
      instruments.retried()
      addAfter(key, pauseAfter(failed + 1, backoff), priority)
    },
    resetBackoff: (key) => {
      failures.delete(key)
    },
    failures: (key) => failures.get(key) ?? 0,
    take: async () => {
      if (isShutDown) return undefined
      const key = next()
      if (key !== undefined) return handOut(key)
      return new Promise((resolve) => takers.push(resolve))
    },
    done: (key) => {
      const since = working.get(key)
      if (since === undefined) return
      instruments.worked(seconds(since))
      working.delete(key)
      const priority = dirty.get(key)
      if (priority === undefined || isShutDown) return
      dirty.delete(key)
      wait(key, priority, clock.monotonic())
      const taker = takers.shift()
      if (taker) taker(handOut(key))
    },
    get length() {
      return waiting.size
    },
    get delayed() {
      return delayed.size
    },
    shutdown: () => {
      isShutDown = true
      for (const { cancel } of delayed.values()) cancel()
      for (const keys of [delayed, dirty, waiting, ready, failures]) keys.clear()
      for (const taker of takers.splice(0)) taker(undefined)
      instruments.remove()
    },
  }
}
