import type { RunConcluded, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'
import { failureOf } from './reporter.ts'
import type { RunFacts } from './run-facts.ts'
import type { DesiredStatus } from './run-status.ts'
import { reportPatience } from './waiting.ts'

/**
 * The decision that a run ends. `report`: a failure not yet published on the run's topic. `stops`: stop workers that
 * are still running.
 */
export type Ending = {
  kind: 'end'
  desiredStatus: DesiredStatus
  concluded?: RunConcluded
  report?: RunFailed
  stops: boolean
}

/** A failure that the operator detects and has to report. */
export const fail = (reason: RunReason, message: string): Ending => ({
  kind: 'end',
  desiredStatus: { phase: 'Failed', reason, message },
  report: failureOf(reason, message),
  stops: true,
})

/** A failure that the service or the worker reported. */
export const failedBy = ({ reason, detail }: RunFailed, stops: boolean): Ending => ({
  kind: 'end',
  desiredStatus: { phase: 'Failed', reason, message: detail },
  stops,
})

/** The end that the service reported; `message` describes the result of a successful run. */
export const endedBy = (concluded: RunConcluded, { worked, failed }: RunFacts, message: string): Ending => {
  // A worker that is still busy with a failed run is stopped; one that is done exits by itself.
  if (concluded.failure) return { ...failedBy(concluded.failure, !worked && !failed), concluded }
  return { kind: 'end', desiredStatus: { phase: 'Complete', reason: 'Finished', message }, concluded, stops: false }
}

/** The worker ended without reporting the outcome of its run. */
export const noReport = (how: string): Ending =>
  fail('NoReport', `${how}, and no report of the run arrived within ${reportPatience / 1_000} s.`)

export const pending = (reason: RunReason, message: string): DesiredStatus => ({ phase: 'Pending', reason, message })
