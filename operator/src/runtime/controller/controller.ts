import { childAbortController } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { BackoffOptions } from '../backoff.ts'
import { ApiError, NotLeader } from '../client/api-error.ts'
import type { Clock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import { createQueue, freshPriority, type Queue, resyncPriority } from '../queue/queue.ts'
import type { Change, Store } from '../store/store.ts'
import { type Result, retry } from './result.ts'

/**
 * Looks at one object, by its key, and at the world, and makes one more like the other. It is called again whenever
 * either may have changed, never twice at a time for one key, and must come to the same end however often it is called.
 */
export type Reconcile = (key: string, context: { signal: AbortSignal }) => Promise<Result>

/** The keys that a change concerns. */
export type Mapper<T extends KubeObject> = (change: Change<T>) => readonly string[]

export type ControllerOptions = {
  name: string
  reconcile: Reconcile
  clock: Clock
  log: Log
  metrics: RuntimeMetrics
  /** Keys that are worked on at a time; 1 unless told. */
  workers?: number
  /** Milliseconds for one reconcile, whose signal is aborted then; 60 s unless told. */
  timeout?: number
  backoff?: BackoffOptions
  /** Milliseconds after which everything is looked at again for good measure, after all that is fresh; 10 h unless told. */
  resyncAfter?: number
}

export type Controller = {
  readonly name: string
  readonly queue: Queue
  /** Enqueues what the changes of a store concern, from now on. The initial ones go after everything fresh. */
  watch: <T extends KubeObject>(store: Store<T>, keysOf: Mapper<T>) => void
  /**
   * Works until the signal, then lets the reconciles that are under way end, for `drain` milliseconds at most, after
   * which they are aborted.
   */
  run: (signal: AbortSignal, drain?: number) => Promise<void>
}

/** Milliseconds that an aborted reconcile has to notice. */
const grace = 5_000

export const createController = (options: ControllerOptions): Controller => {
  const { name, reconcile, clock, metrics, workers: limit = 1, timeout = 60_000, resyncAfter = 36_000_000 } = options
  const log = options.log.child({ controller: name })
  const queue = createQueue({ name, clock, metrics, ...(options.backoff ? { backoff: options.backoff } : {}) })
  let active = 0
  const instruments = metrics.controller(name, { limit, active: () => active })
  const unwatch: (() => void)[] = []
  /** Enqueue all that a watched store holds. */
  const resyncs: (() => void)[] = []

  /** Calls reconcile within its time; whatever it throws is a failure like another. */
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
      // One that does not heed its signal still holds its key, until it ends: two at a time would be worse.
      const result = await work
      return isLate ? await tooLong.promise : result
    } catch (error) {
      if (isLate) return await tooLong.promise
      // Refusals of the server are the day's work; anything else that is thrown was not foreseen.
      if (!(error instanceof ApiError || error instanceof NotLeader)) instruments.threw()
      return retry(error instanceof Error ? error : new Error(String(error)))
    } finally {
      stopTimer()
    }
  }

  const settle = (key: string, result: Result): void => {
    switch (result.kind) {
      case 'done':
        queue.forget(key)
        return
      case 'requeueAfter':
        queue.forget(key)
        queue.addAfter(key, result.milliseconds)
        return
      case 'retry':
        log.warn({ key, failures: queue.failures(key) + 1, err: result.error }, 'a reconcile failed and is tried again')
        queue.addRateLimited(key)
        return
      case 'terminal':
        queue.forget(key)
        log.error({ key, err: result.error }, 'a reconcile failed until somebody changes something')
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
    watch: <T extends KubeObject>(store: Store<T>, keysOf: Mapper<T>) => {
      const enqueue = (change: Change<T>) => {
        for (const key of keysOf(change)) queue.add(key, change.initial ? resyncPriority : freshPriority)
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
            log.error({ working: active }, 'a reconcile did not end when it was told to')
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
