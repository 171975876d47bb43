import { serviceError } from '@trellis/kit/errors'
import { type Log, silentLog } from '@trellis/kit/telemetry'
import { createPool, errorOfRun } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { generationWorker } from '../worker/environment.ts'

export type TaskPoolOptions = {
  /** The folder of the files that tasks read and write. */
  readonly directory: string
  readonly workers: number
  /** Maximum physical memory of a worker. */
  readonly memoryMegabytes: number
  /** When it aborts, all tasks fail with its reason. */
  readonly signal: AbortSignal
}

export type TaskOptions = {
  readonly deadlineSeconds: number
  readonly onProgress?: (share: number) => void
}

/** Runs audio tasks in workers of their own, without a bus. When disposed, all workers have exited. */
export type TaskPool = AsyncDisposable & {
  readonly run: (task: NonNullable<AudioTask['task']>, options: TaskOptions) => Promise<AudioResult>
}

/** A log of which only the traces of failed tasks are recorded, since their users see no log. */
const tracesOf = (record: (trace: string) => void): Log => ({
  ...silentLog,
  error: (context) => {
    if ('trace' in context && typeof context.trace === 'string') record(context.trace)
  },
})

export const openTaskPool = ({ directory, workers, memoryMegabytes, signal }: TaskPoolOptions): TaskPool => {
  const kind = generationWorker({ files: { kind: 'directory', path: directory }, workers, memoryMegabytes })
  let lastTrace: string | undefined
  const log = tracesOf((trace) => (lastTrace = trace))
  // Nothing follows the last task, so no worker is started in advance.
  const pool = createPool({ ...kind, warm: 0 }, { name: 'audio', log })
  let runs = 0
  return {
    run: async (task, { deadlineSeconds, onProgress }) => {
      signal.throwIfAborted()
      runs += 1
      const runId = `local-${runs}`
      const { promise, resolve, reject } = Promise.withResolvers<AudioResult>()
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      const late = setTimeout(() => pool.exceed(runId), deadlineSeconds * 1_000)
      try {
        pool.run({
          runId,
          input: AudioTask.encode({ task }).finish(),
          onStarted: () => undefined,
          onProgress: (share) => onProgress?.(share),
          onOutput: () => undefined,
          onEnded: (outcome) => {
            if (outcome.kind === 'completed') return resolve(AudioResult.decode(outcome.result))
            const { failure } = outcome
            const cause = lastTrace
            if (failure.kind === 'internal' && cause !== undefined)
              return reject(
                serviceError('internal', `The work failed unexpectedly: ${cause.split('\n')[0]}`, { cause }),
              )
            reject(errorOfRun({ ...failure, retryAfterSeconds: failure.retryAfterSeconds ?? null }))
          },
        })
        return await promise
      } finally {
        clearTimeout(late)
        signal.removeEventListener('abort', stop)
      }
    },
    [Symbol.asyncDispose]: () => pool.kill(),
  }
}
