import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Ending, endedBy, fail, failedBy } from './ending.ts'
import type { RunFacts } from './run-facts.ts'
import { millisecondsUntil, type RunStatus } from './run-status.ts'
import { awaitReport, type Waiting } from './waiting.ts'

/** What a run is judged by before anybody looks at its worker. Times are milliseconds since 1970. */
export type PublishedUpdates = {
  facts: RunFacts
  status: RunStatus
  activeDeadlineSeconds: number
  acceptedAt: number
  now: number
}

/**
 * What is to be done by what was said of a run, and by its deadline: that goes before what its worker looks like, since a pod that is gone
 * after its service has written everything is no loss. `outcome` says what came of a run that went well. Gives the milliseconds that are
 * left until the deadline where its worker has to be looked at.
 */
export const decideFromEvents = (
  reported: PublishedUpdates,
  outcome: (concluded: RunConcluded) => string,
): Ending | Waiting | number => {
  const { facts, status, activeDeadlineSeconds, acceptedAt, now } = reported
  if (facts.cancelled) return fail('Cancelled', 'The caller cancelled the run.')
  if (facts.concluded) return endedBy(facts.concluded, facts, outcome(facts.concluded))
  const left = millisecondsUntil(status.startTime ?? acceptedAt, activeDeadlineSeconds, now)
  if (left === 0) return fail('DeadlineExceeded', `The run took longer than ${activeDeadlineSeconds} s.`)
  if (facts.failed) return awaitReport(facts.failed.at, { now, left }, failedBy(facts.failed.failure, true))
  return left
}
