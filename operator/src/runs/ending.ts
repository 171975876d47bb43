import type { RunConcluded, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { RunReason } from '../crds/mod.ts'
import { failureOf } from './reporter.ts'
import type { RunFacts } from './run-facts.ts'
import type { DesiredStatus } from './run-status.ts'
import { reportPatience } from './waiting.ts'

/** The decision that a run ends. `tell`: nobody has said so on its topic. `stops`: what is still at work is ended. */
export type Ending = {
  kind: 'end'
  desiredStatus: DesiredStatus
  concluded?: RunConcluded
  tell?: RunFailed
  stops: boolean
}

/** A failure that the operator finds out by itself, and tells. */
export const fail = (reason: RunReason, message: string): Ending => ({
  kind: 'end',
  desiredStatus: { phase: 'Failed', reason, message },
  tell: failureOf(reason, message),
  stops: true,
})

/** A failure that its service or its worker has told of. */
export const failedBy = ({ reason, detail }: RunFailed, stops: boolean): Ending => ({
  kind: 'end',
  desiredStatus: { phase: 'Failed', reason, message: detail },
  stops,
})

/** The end that its service has told of; `message` says what came of a run that went well. */
export const endedBy = (concluded: RunConcluded, { worked, failed }: RunFacts, message: string): Ending => {
  // A worker that goes on with what has come to nothing is in the way; one that is done ends by itself.
  if (concluded.failure) return { ...failedBy(concluded.failure, !worked && !failed), concluded }
  return { kind: 'end', desiredStatus: { phase: 'Complete', reason: 'Finished', message }, concluded, stops: false }
}

/** A worker ended, and what came of its run was never told. */
export const noReport = (how: string): Ending =>
  fail('NoReport', `${how}, and no report of the run arrived within ${reportPatience / 1_000} s.`)

export const pending = (reason: RunReason, message: string): DesiredStatus => ({ phase: 'Pending', reason, message })
