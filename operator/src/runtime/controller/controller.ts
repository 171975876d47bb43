import { childAbortController } from '@trellis/kit/lifecycle'
import type { BackoffOptions } from '@trellis/kit/retry'
import type { Log } from '@trellis/kit/telemetry'
import { ApiError, NotLeader } from '../client/api-error.ts'
import type { Clock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import { createQueue, freshPriority, type Queue, resyncPriority } from '../queue/queue.ts'
import type { Change, Store } from '../store/store.ts'
import { type Result, retry } from './result.ts'

/**
 * Brings the actual state closer to the desired state of one object, identified by its key. It is called again whenever
 * either may have changed, never concurrently for one key, and must be idempotent.
 */
export type Reconcile = (key: string, context: { signal: AbortSignal }) => Promise<Result>

/** The keys that a change affects. */
export type Mapper<T extends KubeObject> = (change: Change<T>) => readonly string[]

/**
 * Milliseconds that the reconcile after a change may wait, so that one reconcile serves several changes; 0 if it must
 * not.
 */
export type Patience<T extends KubeObject> = (change: Change<T>) => number

export type ControllerOptions = {
  name: string
  reconcile: Reconcile
  clock: Clock
  log: Log
  metrics: RuntimeMetrics
  /** Number of keys reconciled concurrently; 1 by default. */
  workers?: number
  /** Milliseconds after which a reconcile's signal is aborted; 60 s by default. */
  timeout?: number
  backoff?: BackoffOptions
  /** Milliseconds between resyncs, which enqueue every object at low priority; 10 h by default. */
  resyncAfter?: number
}

export type Controller = {
  readonly name: string
  readonly queue: Queue
  /**
   * Enqueues the keys that a store's changes affect, from now on: immediately, unless `patience` allows a delay. Keys
   * of initial objects are enqueued at low priority.
   */
  watch: <T extends KubeObject>(store: Store<T>, keysOf: Mapper<T>, patience?: Patience<T>) => void
  /**
   * Runs until the signal, then waits up to `drain` milliseconds for running reconciles to end before it aborts them.
   */
  run: (signal: AbortSignal, drain?: number) => Promise<void>
}

/** Milliseconds that an aborted reconcile has to return. */
const grace = 5_000

export const createController = (options: ControllerOptions): Controller => {
  const { name, reconcile, clock, metrics, workers: limit = 1, timeout = 60_000, resyncAfter = 36_000_000 } = options
  const log = options.log.child({ controller: name })
  const queue = createQueue({ name, clock, metrics, ...(options.backoff ? { backoff: options.backoff } : {}) })
  let active = 0
  const instruments = metrics.controller(name, { limit, active: () => active })
  const unwatch: (() => void)[] = []
  /** Each enqueues all objects of a watched store. */
  const resyncs: (() => void)[] = []

  /** Calls reconcile within its time limit; anything it throws counts as a failure to retry. */
  const attempt = async (key: string, stopped: AbortSignal): Promise<Result> => {
    using ending = childAbortController(stopped)
    const tooLong = Promise.withResolvers<Result>()
    let isLate = false
    const stopTimer = clock.after(timeout, () => {
      instruments.timedOut()
      const error = new Error(`The reconcile took longer than ${timeout / 1_000} s.`)
      isLate = true
      ending.abort(error)
      tooLong.resolve(retry(error))
    })
    try {
      const work = reconcile(key, { signal: ending.signal })
      // A reconcile that ignores its signal still occupies its key until it returns: two at a time would be worse.
      const result = await work
      return isLate ? await tooLong.promise : result
    } catch (error) {
      if (isLate) return await tooLong.promise
      // API errors and lost leadership are expected; anything else that is thrown is a bug.
      if (!(error instanceof ApiError || error instanceof NotLeader)) instruments.threw()
      return retry(error instanceof Error ? error : new Error(String(error)))
    } finally {
      stopTimer()
    }
  }

  const settle = (key: string, result: Result): void => {
    switch (result.kind) {
      case 'done':
        queue.resetBackoff(key)
        return
      case 'requeueAfter':
        queue.resetBackoff(key)
        queue.addAfter(key, result.milliseconds)
        return
      case 'retry':
        log.warn({ key, failures: queue.failures(key) + 1, err: result.error }, 'a reconcile failed and is retried')
        queue.addRateLimited(key)
        return
      case 'terminal':
        queue.resetBackoff(key)
        log.error({ key, err: result.error }, 'a reconcile failed and is not retried until something changes')
    }
  }

  const counted = {
    done: 'success',
    requeueAfter: 'requeue_after',
    retry: 'error',
    terminal: 'terminal_error',
  } as const

  const work = async (stopped: AbortSignal): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      const started = clock.monotonic()
      active += 1
      try {
        const result = await attempt(key, stopped)
        instruments.reconciled(counted[result.kind], (clock.monotonic() - started) / 1_000)
        settle(key, result)
      } finally {
        active -= 1
        queue.done(key)
      }
    }
  }

  return {
    name,
    queue,
    watch: <T extends KubeObject>(store: Store<T>, keysOf: Mapper<T>, patience: Patience<T> = () => 0) => {
      const enqueue = (change: Change<T>) => {
        const priority = change.initial ? resyncPriority : freshPriority
        for (const key of keysOf(change)) queue.addAfter(key, patience(change), priority)
      }
      const resync = () => {
        for (const object of store.list()) enqueue({ type: 'added', object, initial: true })
      }
      resync()
      resyncs.push(resync)
      unwatch.push(store.onChange(enqueue))
    },
    run: async (signal, drain = 30_000) => {
      const hurry = new AbortController()
      const gaveUp = Promise.withResolvers<void>()
      const timers: (() => void)[] = []
      const resync = () => {
        for (const enqueueAll of resyncs) enqueueAll()
        stopResync = clock.after(resyncAfter, resync)
      }
      let stopResync = clock.after(resyncAfter, resync)
      const stop = () => {
        stopResync()
        for (const end of unwatch.splice(0)) end()
        queue.shutdown()
        timers.push(
          clock.after(drain, () => hurry.abort(new Error('The controller was stopped.'))),
          clock.after(drain + grace, () => {
            log.error({ working: active }, 'a reconcile did not end after its abort')
            gaveUp.resolve()
          }),
        )
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      try {
        const workers = Array.from({ length: limit }, () => work(hurry.signal))
        await Promise.race([Promise.all(workers), gaveUp.promise])
      } finally {
        for (const cancel of timers) cancel()
      }
    },
  }
}
