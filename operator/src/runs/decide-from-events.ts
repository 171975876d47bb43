import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Ending, endedBy, fail, failedBy } from './ending.ts'
import type { RunFacts } from './run-facts.ts'
import { millisecondsUntil, type RunStatus } from './run-status.ts'
import { awaitReport, type Waiting } from './waiting.ts'

/** Input of the decision that precedes any look at the worker. Times are milliseconds since 1970. */
export type EventDecisionInput = {
  facts: RunFacts
  status: RunStatus
  activeDeadlineSeconds: number
  acceptedAt: number
  now: number
}

/**
 * Decides from a run's events and its deadline. They take precedence over the state of the worker, since a pod that is
 * gone after its service has written everything is no loss. `outcome` describes the result of a successful run. Returns
 * the milliseconds left until the deadline if the worker's state has to decide.
 */
export const decideFromEvents = (
  input: EventDecisionInput,
  outcome: (concluded: RunConcluded) => string,
): Ending | Waiting | number => {
  const { facts, status, activeDeadlineSeconds, acceptedAt, now } = input
  if (facts.cancelled) return fail('Cancelled', 'The caller cancelled the run.')
  if (facts.concluded) return endedBy(facts.concluded, facts, outcome(facts.concluded))
  const left = millisecondsUntil(status.startTime ?? acceptedAt, activeDeadlineSeconds, now)
  if (left === 0) return fail('DeadlineExceeded', `The run took longer than ${activeDeadlineSeconds} s.`)
  if (facts.failed) return awaitReport(facts.failed.at, { now, left }, failedBy(facts.failed.failure, true))
  return left
}
