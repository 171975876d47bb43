import { followRun, runFailure } from '@trellis/kit/workloads'
import type { World } from '../world.ts'
import { createJoiner } from './worker/found-parts.ts'
import { decodeOutput, encodeMessage, type WorkerInput, type WorkerOutput } from './worker/messages.ts'

export type RunOptions = {
  readonly runId: string
  readonly input: WorkerInput
  readonly user: string
  readonly deadlineSeconds: number
  /** Aborting it cancels the run. */
  readonly signal: AbortSignal
  /** Another replica may have asked for the run before. */
  readonly resumes?: boolean
  /** Whether another replica will follow the run, when the following ends early: it is then not cancelled. */
  readonly isLeft?: () => boolean
}

/**
 * Starts a run, or takes one up, and gives what it finds as it comes. The start is awaited, so that an overloaded
 * installation refuses at once; the findings throw the run's failure, and end early with the signal. A run that had to be
 * started again finds again.
 */
export const startRun = async (
  { bus, workloads, log }: World,
  options: RunOptions,
): Promise<AsyncIterable<WorkerOutput>> => {
  const { runId, input, user, deadlineSeconds, signal, resumes = false, isLeft = () => false } = options
  const run = {
    runId,
    workload: 'WORKLOAD_SEARCH',
    input: encodeMessage(input),
    activeDeadlineSeconds: deadlineSeconds,
    user,
  } as const
  const reports = await followRun({ bus, workloads }, run, { signal, resumes })
  const cancel = async () => {
    try {
      await workloads.cancel({ runId })
    } catch (error) {
      // Its deadline ends it.
      log.warn({ err: error, runId }, 'a run could not be cancelled')
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      let isOver = false
      const { begin, join } = createJoiner()
      try {
        for await (const report of reports) {
          isOver = report.$case === 'completed' || report.$case === 'failed'
          if (report.$case === 'started') begin()
          const output = report.$case === 'output' ? join(decodeOutput(report.value)) : undefined
          if (output) yield output
          if (report.$case === 'failed') throw runFailure(report.value)
        }
      } finally {
        if (!isOver && !isLeft()) await cancel()
      }
      signal.throwIfAborted()
    },
  }
}
