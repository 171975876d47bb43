import type { PlanRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Clock } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import type { RunMemory } from './memory.ts'
import { isLive, podStateOf } from './pod-state.ts'
import type { Reporter } from './reporter.ts'
import type { RunFacts } from './run-facts.ts'
import { type RunIdSource, wasRequested } from './run-id.ts'

/** State of a run that begins. */
type Beginning = { object: RunIdSource; runId: string; memory: RunMemory; facts: RunFacts }

/** Milliseconds after which the plan of a run that has not started is requested again. */
const requestedAgain = 30_000

/**
 * Requests a plan from the service for a run that the service did not request; returns the milliseconds until the next
 * check.
 */
export const requestRunPlan = async (
  { clock, reporter }: { clock: Clock; reporter: Reporter },
  { object, memory, facts }: Beginning,
  planRequestOf: () => PlanRequest,
): Promise<number | undefined> => {
  if (wasRequested(object) || facts.started || object.status?.phase === 'Running') return undefined
  const now = clock.now()
  const due = (memory.planRequestedAt ?? Number.NEGATIVE_INFINITY) + requestedAgain
  if (due > now) return due - now
  await reporter.requestPlan(planRequestOf())
  memory.planRequestedAt = now
  return requestedAgain
}

/** Assigns the run to a pod, once. */
export const assignRun = async (
  { reporter }: { reporter: Reporter },
  { object: { status }, runId, memory, facts }: Beginning,
  pod: Pod,
): Promise<void> => {
  const { uid, name } = pod.metadata
  if (memory.assigned.has(uid) || !isLive(podStateOf(pod))) return
  // A worker that started under the previous leader has its assignment.
  if (!facts.started && status?.phase === 'Running' && status.podName === name) return
  await reporter.assign(uid, runId)
  memory.assigned.add(uid)
}
