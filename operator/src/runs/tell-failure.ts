import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'
import type { Notices } from './notices.ts'
import type { Reporter } from './reporter.ts'

/** Ends that are thought to be because the worker has not said how it ended. */
const forWantOfWord: ReadonlySet<string> = new Set<RunReason>(['NoReport', 'WorkerLost', 'Evicted'])

/**
 * Tells of a failure that the operator has found out. False where the run was told to have ended otherwise: what was said to
 * whoever led before comes again only when that has not acknowledged it for a while, but the topic of the run has it. Then
 * that is known from here on, and is to be decided anew.
 */
export const tellFailure = async (
  { reporter, notices }: { reporter: Reporter; notices: Notices },
  { runId, failure, signal }: { runId: string; failure: RunFailed; signal: AbortSignal },
): Promise<boolean> => {
  if (!forWantOfWord.has(failure.reason)) {
    await reporter.failed(runId, failure)
    return true
  }
  const told = await reporter.failedUnlessTold(runId, failure, signal)
  if (told) notices.learned(runId, told.$case === 'failed' ? told : { $case: 'worked', value: {} })
  return told === undefined
}
