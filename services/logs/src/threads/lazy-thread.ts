import { once } from 'node:events'
import { type Transferable, Worker } from 'node:worker_threads'
import { serviceError } from '@trellis/kit/errors'
import { type Callable, type Calls, createCalls, type Port } from './calls.ts'

export type LazyThreadOptions = {
  module: URL
  /** Given to the thread when it starts. */
  data?: unknown
  /** The variables that the thread sees; those of this process unless told. */
  environment?: Readonly<Record<string, string>>
  /** What the thread may ask. */
  own: Callable
  /** Ends after so long without a call; 0 keeps it. */
  idleMilliseconds: number
  /** Asked before an idle thread is ended: false keeps it for another while. */
  mayRest: () => boolean
  /** The name of a call that lets the thread bring things to an end before it is ended. Its argument is whether this process goes on without the thread. */
  lastCall: string
  onFailure: (error: Error) => void
  /** Told when the thread has ended because it was idle. */
  onRest: () => void
}

/** A worker thread that starts with the first call, ends when it has been idle, and starts anew after it has failed. */
export type LazyThread<Remote extends Callable> = AsyncDisposable & {
  call: Calls<Remote>['call']
  readonly isRunning: boolean
}

type Running<Remote extends Callable> = { worker: Worker; calls: Calls<Remote> }

const portOf = (worker: Worker): Port => ({
  send: (message, transfer) => worker.postMessage(message, transfer),
  receive: (listener) => void worker.on('message', listener),
})

/** A third of what the engine would take for young objects: 25 to 50 MB less are resident while lines come in, and the thread is not slower. */
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
      // A thread that is being ended must have let go of its files before another takes them.
      while (resting !== undefined) await resting
      if (isDisposed) throw serviceError('unavailable', 'The log engine is shutting down. Send it again later.')
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
