import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'
import type { Reporter } from './reporter.ts'
import type { RunEvents } from './run-events.ts'

/** Ends that are thought to be because the worker has not said how it ended. */
const forWantOfWord: ReadonlySet<string> = new Set<RunReason>(['NoReport', 'WorkerLost', 'Evicted'])

/**
 * Tells of a failure that the operator has found out. False where the run was told to have ended otherwise: what was said to
 * whoever led before comes again only when that has not acknowledged it for a while, but the topic of the run has it. Then
 * that is known from here on, and is to be decided anew.
 */
export const tellFailure = async (
  { reporter, events }: { reporter: Reporter; events: RunEvents },
  { runId, failure, signal }: { runId: string; failure: RunFailed; signal: AbortSignal },
): Promise<boolean> => {
  if (!forWantOfWord.has(failure.reason)) {
    await reporter.failed(runId, failure)
    return true
  }
  const reported = await reporter.failedUnlessReported(runId, failure, signal)
  if (reported) events.learned(runId, reported.$case === 'failed' ? reported : { $case: 'worked', value: {} })
  return reported === undefined
}
