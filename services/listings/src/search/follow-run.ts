import { runFailure, watchRun } from '@trellis/kit/workloads'
import type { World } from '../world.ts'
import { decodeOutput, encodeMessage, type WorkerInput, type WorkerOutput } from './worker/messages.ts'

export type RunOptions = {
  readonly runId: string
  readonly input: WorkerInput
  readonly user: string
  readonly deadlineSeconds: number
  /** Aborting it cancels the run. */
  readonly signal: AbortSignal
}

/**
 * Starts a run and gives what it finds as it comes. The start is awaited, so that an overloaded installation refuses at
 * once; the findings throw the run's failure, and end early with the signal.
 */
export const startRun = async (
  { bus, workloads }: World,
  options: RunOptions,
): Promise<AsyncIterable<WorkerOutput>> => {
  const { runId, input, user, deadlineSeconds, signal } = options
  const reports = watchRun(bus, runId, signal)
  await workloads.run({
    runId,
    workload: 'WORKLOAD_SEARCH',
    input: encodeMessage(input),
    activeDeadlineSeconds: deadlineSeconds,
    user,
  })
  return {
    async *[Symbol.asyncIterator]() {
      let isOver = false
      try {
        for await (const report of reports) {
          isOver = report.$case === 'completed' || report.$case === 'failed'
          if (report.$case === 'output') yield decodeOutput(report.value)
          if (report.$case === 'failed') throw runFailure(report.value)
        }
      } finally {
        if (!isOver) await workloads.cancel({ runId })
      }
      signal.throwIfAborted()
    },
  }
}
