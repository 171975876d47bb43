import type { Search, SearchStatus } from '../crds/mod.ts'
import {
  type Desired,
  expiresIn,
  failureOf,
  isLive,
  logEnd,
  podStateOf,
  releaseWorker,
  remainingGraceMilliseconds,
  reportFailure,
  runIdOf,
  runStatus,
  staleStatus,
} from '../runs/mod.ts'
import { conditionOf, done, type Result, requeueAfter } from '../runtime/mod.ts'
import type { Decision } from './decide.ts'
import type { SearchDependencies } from './dependencies.ts'
import { type Run, settle, warn } from './run.ts'
import { removeSearch, stopPod, writeStatus } from './writes.ts'

/** Releases the in-memory state of a finished run. Its slot is free once its worker has ended. */
const release = (
  { events, memories, limiter, ownPods }: SearchDependencies,
  { metadata: { uid } }: Search,
  runId: string,
): void => {
  events.drop(runId)
  memories.drop(uid)
  limiter.leave(uid, ownPods.hasLive(uid))
}

/**
 * Ends a run. The report goes to the topic before the status is written: an unreported end is retried, but a run with a
 * final status is over.
 */
export const end = async (
  dependencies: SearchDependencies,
  run: Run,
  { desiredStatus, concluded, report, stops }: Extract<Decision, { kind: 'end' }>,
): Promise<Result> => {
  const { search, runId, pods, signal } = run
  if (report && !(await reportFailure(dependencies, { runId, failure: report, signal }))) return requeueAfter(0)
  if (stops && pods.current && isLive(pods.current.state)) await stopPod(dependencies, pods.current.pod, signal)
  await settle(dependencies, run, desiredStatus, {
    ...(typeof concluded?.listingsFound === 'number' ? { listingsFound: concluded.listingsFound } : {}),
    ...(typeof concluded?.marketPrice === 'number' ? { marketPrice: concluded.marketPrice } : {}),
  })
  dependencies.runMetrics?.ended('search', desiredStatus)
  logEnd(dependencies.log, { workload: 'search', object: search, runId, desiredStatus, now: dependencies.clock.now() })
  if (desiredStatus.phase === 'Failed') warn(dependencies, search, desiredStatus.reason, desiredStatus.message)
  if (!stops && pods.current) await releaseWorker(dependencies, pods.current)
  release(dependencies, search, runId)
  return done
}

/**
 * Ends the run of a suspended Search; resuming starts another. The status is written before the failure is reported: if
 * the Search were resumed in between, the run reported as ended would go on. Callers that miss the report learn it when
 * they request the run again.
 */
export const suspend = async (
  dependencies: SearchDependencies,
  search: Search,
  signal: AbortSignal,
): Promise<Result> => {
  const { reporter, ownPods, clock, log } = dependencies
  const runId = runIdOf(search)
  const isNew = conditionOf(search.status.conditions, 'Ready')?.reason !== 'Suspended'
  const message = 'The search is suspended; a new run begins when it is resumed.'
  const desiredStatus = runStatus(search, { phase: 'Pending', reason: 'Suspended', message }, clock.now())
  const gone = { sessionId: null, startTime: null, podName: null, warm: null, attempts: null }
  await writeStatus(dependencies, search, { ...desiredStatus, ...gone } as Desired<SearchStatus>, signal)
  for (const pod of ownPods.of(search.metadata.uid))
    if (isLive(podStateOf(pod))) await stopPod(dependencies, pod, signal)
  release(dependencies, search, runId)
  if (!isNew) return done
  const ended = 'The search was suspended.'
  if (search.status.sessionId !== undefined)
    logEnd(log, {
      workload: 'search',
      object: search,
      runId,
      desiredStatus: { phase: 'Failed', reason: 'Suspended', message: ended },
      now: clock.now(),
    })
  await reporter.failed(runId, failureOf('Suspended', ended))
  return done
}

/** Retains a finished Search with its pod until its time to live is over, then removes it. */
export const expire = async (
  dependencies: SearchDependencies,
  search: Search,
  signal: AbortSignal,
): Promise<Result> => {
  release(dependencies, search, runIdOf(search))
  const now = dependencies.clock.now()
  const left = expiresIn(search, now) ?? 0
  if (left === 0) {
    await removeSearch(dependencies, search, signal)
    return done
  }
  const desiredStatus = staleStatus(search)
  if (desiredStatus)
    await writeStatus(dependencies, search, runStatus(search, desiredStatus, now) as Desired<SearchStatus>, signal)
  const live = dependencies.ownPods.of(search.metadata.uid).filter((pod) => isLive(podStateOf(pod)))
  const untilStopped = remainingGraceMilliseconds(search.status, now)
  if (live.length > 0 && untilStopped > 0) return requeueAfter(Math.min(left, untilStopped))
  for (const pod of live) await stopPod(dependencies, pod, signal)
  return requeueAfter(left)
}
