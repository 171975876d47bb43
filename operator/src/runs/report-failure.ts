import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'
import type { Reporter } from './reporter.ts'
import type { RunEvents } from './run-events.ts'

/** Failures inferred from a missing report of the worker. */
const inferredReasons: ReadonlySet<string> = new Set<RunReason>(['NoReport', 'WorkerLost', 'Evicted'])

/**
 * Reports a failure that the operator detected. Returns false if the run has reported a different end: an event that
 * the previous leader received is redelivered only after its acknowledgement timeout, but the run's topic has the
 * report. The reported end is then added to the facts, and the caller must decide again.
 */
export const reportFailure = async (
  { reporter, events }: { reporter: Reporter; events: RunEvents },
  { runId, failure, signal }: { runId: string; failure: RunFailed; signal: AbortSignal },
): Promise<boolean> => {
  if (!inferredReasons.has(failure.reason)) {
    await reporter.failed(runId, failure)
    return true
  }
  const reported = await reporter.failedUnlessReported(runId, failure, signal)
  if (reported) events.learned(runId, reported.$case === 'failed' ? reported : { $case: 'worked', value: {} })
  return reported === undefined
}
