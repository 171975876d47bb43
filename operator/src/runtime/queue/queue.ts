import { type BackoffOptions, backoffAt } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'

/** What happened just now. */
export const freshPriority = 0

/** What was there before anybody looked, and what is looked at again for good measure: after everything fresh. */
export const resyncPriority = -100

export type QueueOptions = {
  name: string
  clock: Clock
  metrics: RuntimeMetrics
  /** The waits after failures of one key. */
  backoff?: BackoffOptions
}

/**
 * Keys to work on. A key waits at most once; while it is worked on it can be added again, and is handed out once more
 * when that work is done, never to two workers at a time. Higher priorities go first, within one who came first.
 */
export type Queue = {
  add: (key: string, priority?: number) => void
  /** Adds the key after so many milliseconds; of several such calls the soonest counts. */
  addAfter: (key: string, milliseconds: number, priority?: number) => void
  /** Adds the key after a wait that grows with every such call, until it is forgotten. */
  addRateLimited: (key: string, priority?: number) => void
  /** Starts the waits of a key over. */
  forget: (key: string) => void
  /** How often the key has failed since it was forgotten. */
  failures: (key: string) => number
  /** The next key, as soon as there is one; undefined once the queue is shut down. `done` must be called for it. */
  take: () => Promise<string | undefined>
  done: (key: string) => void
  /** Keys that wait to be taken now. */
  readonly length: number
  /** Keys that wait for their time. */
  readonly delayed: number
  /** Takes nothing more in, and hands nothing more out. */
  shutdown: () => void
}

/** 5 ms, doubled with each failure up to 1,000 s, as controller-runtime has it. */
const defaultBackoff: BackoffOptions = { initial: 5, limit: 1_000_000 }

type Delayed = { due: number; priority: number; cancel: () => void }

export const createQueue = ({ name, clock, metrics, backoff = defaultBackoff }: QueueOptions): Queue => {
  /** Waiting keys by priority, in the order in which they came. */
  const ready = new Map<number, Set<string>>()
  const waiting = new Map<string, { priority: number; since: number }>()
  const working = new Map<string, number>()
  /** Keys that were added while they were worked on. */
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
      addAfter(key, backoffAt(failed, backoff), priority)
    },
    forget: (key) => {
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
