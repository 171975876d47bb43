import { serviceError } from '@trellis/kit/errors'
import { type Log, silentLog } from '@trellis/kit/telemetry'
import { createPool, errorOfRun, type Outcome } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { generationWorker, type ModelRuntime } from '../worker/environment.ts'

export type TaskPoolOptions = {
  /** The folder of the files that tasks read and write. */
  readonly directory: string
  readonly workers: number
  /** Maximum physical memory of a worker. */
  readonly memoryMegabytes: number
  readonly modelRuntime: ModelRuntime
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

/** A log of which only the traces of failed runs are recorded, since their users see no log. */
const tracesOf = (traces: Map<string, string>): Log => ({
  ...silentLog,
  error: (context) => {
    const { runId, trace }: { runId?: unknown; trace?: unknown } = context
    if (typeof runId === 'string' && typeof trace === 'string') traces.set(runId, trace)
  },
})

/** The error of a failed run; for a bug, with the first line of its trace. */
const errorOf = (failure: Extract<Outcome, { kind: 'failed' }>['failure'], trace: string | undefined): Error =>
  failure.kind === 'internal' && trace !== undefined
    ? serviceError('internal', `The work failed unexpectedly: ${trace.split('\n')[0]}`, { cause: trace })
    : errorOfRun({ ...failure, retryAfterSeconds: failure.retryAfterSeconds ?? null })

export const openTaskPool = ({
  directory,
  workers,
  memoryMegabytes,
  modelRuntime,
  signal,
}: TaskPoolOptions): TaskPool => {
  const kind = generationWorker({
    files: { kind: 'directory', path: directory },
    workers,
    memoryMegabytes,
    modelRuntime,
  })
  const traces = new Map<string, string>()
  // Nothing follows the last task, so no worker is started in advance.
  const pool = createPool({ ...kind, warm: 0 }, { name: 'audio', log: tracesOf(traces) })
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
          onEnded: (outcome) =>
            outcome.kind === 'completed'
              ? resolve(AudioResult.decode(outcome.result))
              : reject(errorOf(outcome.failure, traces.get(runId))),
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
