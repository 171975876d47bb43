import { once } from 'node:events'
import { type Transferable, Worker } from 'node:worker_threads'
import { serviceError } from '@trellis/kit/errors'
import { type Callable, type Calls, createCalls, type Port } from './calls.ts'

export type LazyThreadOptions = {
  module: URL
  /** Passed to the thread as `workerData`. */
  data?: unknown
  /** Environment variables of the thread; by default those of this process. */
  environment?: Readonly<Record<string, string>>
  /** The calls that the thread may make. */
  own: Callable
  /** The thread ends after this time without a call; 0: never. */
  idleMilliseconds: number
  /** Checked before an idle thread is ended: false lets it run for another interval. */
  mayRest: () => boolean
  /** The call that lets the thread finish its work before it ends. Its argument is whether this process continues without the thread. */
  lastCall: string
  onFailure: (error: Error) => void
  /** Called when the thread has ended because it was idle. */
  onRest: () => void
}

/** A worker thread that starts with the first call, ends when idle, and restarts after a failure. */
export type LazyThread<Remote extends Callable> = AsyncDisposable & {
  call: Calls<Remote>['call']
  readonly isRunning: boolean
}

type Running<Remote extends Callable> = { worker: Worker; calls: Calls<Remote> }

const portOf = (worker: Worker): Port => ({
  send: (message, transfer) => worker.postMessage(message, transfer),
  receive: (listener) => void worker.on('message', listener),
})

/** A third of V8's default for the young generation: 25 to 50 MB less are resident during ingestion, and the thread is not slower. */
const maxYoungGenerationSizeMb = 16

export const createLazyThread = <Remote extends Callable>(options: LazyThreadOptions): LazyThread<Remote> => {
  let running: Running<Remote> | undefined
  let resting: Promise<void> | undefined
  let idle: NodeJS.Timeout | undefined
  let isDisposed = false

  const start = (): Running<Remote> => {
    const worker = new Worker(options.module, {
      workerData: options.data,
      ...(options.environment && { env: { ...options.environment } }),
      resourceLimits: { maxYoungGenerationSizeMb },
    })
    const started = { worker, calls: createCalls<Remote>(portOf(worker), options.own) }
    const ended = (error: Error) => {
      started.calls.fail(error)
      if (running === started) running = undefined
    }
    worker.on('error', (error) => {
      const failure = error instanceof Error ? error : new Error(String(error))
      ended(failure)
      options.onFailure(failure)
    })
    worker.on('exit', (code) => ended(new Error(`A thread of the log service ended with ${code}.`)))
    return started
  }
  const end = async (processGoesOn: boolean) => {
    clearTimeout(idle)
    const ending = running
    if (!ending) return
    await ending.calls
      .call(options.lastCall, [processGoesOn] as unknown as Parameters<Remote[string]>)
      .catch(() => undefined)
    if (running === ending) running = undefined
    const gone = once(ending.worker, 'exit')
    await ending.worker.terminate()
    await gone.catch(() => undefined)
  }
  const watchIdle = () => {
    clearTimeout(idle)
    if (options.idleMilliseconds === 0) return
    idle = setTimeout(() => {
      if (!running) return
      if (running.calls.pending > 0 || !options.mayRest()) return watchIdle()
      resting = end(true).finally(() => {
        resting = undefined
        options.onRest()
      })
    }, options.idleMilliseconds)
    idle.unref()
  }
  return {
    get isRunning() {
      return running !== undefined
    },
    call: async <Name extends keyof Remote & string>(
      name: Name,
      args: Parameters<Remote[Name]>,
      transfer?: readonly Transferable[],
    ): Promise<Awaited<ReturnType<Remote[Name]>>> => {
      // An ending thread must release its files before a new one opens them.
      while (resting !== undefined) await resting
      if (isDisposed)
        throw serviceError('unavailable', 'The log engine is shutting down. Send the request again later.')
      running ??= start()
      try {
        return await running.calls.call(name, args, transfer)
      } finally {
        watchIdle()
      }
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await resting
      await end(false)
    },
  }
}
