import { lookedAgain } from '../runs/mod.ts'
import { isConflict, isNotFound, type Result, requeueAfter } from '../runtime/mod.ts'
import { pods as podKind } from '../workers/mod.ts'
import type { SearchDependencies, SearchRun } from './dependencies.ts'

/** Whether the run's own pod is unschedulable while a worker of a pool is idle. */
export const canExchange = ({ claims }: SearchDependencies, { object, found: { current } }: SearchRun): boolean => {
  if (current?.state.kind !== 'unscheduled' || current.state.isGated) return false
  if (current.isClaimed) return false
  return claims.isWaiting({ workload: 'search', namespace: object.metadata.namespace ?? 'default' })
}

/**
 * Deletes the unscheduled pod of a run, so that the next reconcile claims the idle worker. The deletion carries the
 * resourceVersion at which the pod had no node, so a pod that was scheduled since stays. The status first drops the
 * pod's name and stores the attempt: a named pod that is gone counts as a lost worker, also for a new leader.
 */
export const exchange = async (dependencies: SearchDependencies, run: SearchRun): Promise<Result> => {
  const { object, runId, found, signal } = run
  const { client, claims, ownPods, limiter, steps, log } = dependencies
  if (!found.current) return requeueAfter(0)
  const { attempt, pod } = found.current
  const { metadata } = pod
  if (object.status.podName !== undefined || attempt > 1) {
    const desired = { podName: null, warm: null, attempts: attempt }
    await steps.writeStatus(object, desired, signal)
  }
  limiter.keep(object.metadata.uid)
  const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion ?? '' }
  try {
    await client.delete(podKind, metadata, { signal, preconditions })
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error
    return requeueAfter(lookedAgain)
  }
  // Otherwise the next reconcile might still see it, name it in the status again, and later count it as lost.
  ownPods.removed(pod)
  claims.retryClaim(runId)
  log.info(
    { runId, search: object.metadata.name, pod: metadata.name },
    'an unscheduled pod is replaced by an idle worker',
  )
  return requeueAfter(lookedAgain)
}
