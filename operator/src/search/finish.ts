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
  runIdOf,
  runStatus,
  staleStatus,
  tellFailure,
} from '../runs/mod.ts'
import { conditionOf, done, type Result, requeueAfter } from '../runtime/mod.ts'
import type { Decision } from './decide.ts'
import type { SearchDependencies } from './dependencies.ts'
import { type Run, settle, warn } from './run.ts'
import { removeSearch, stopPod, writeStatus } from './writes.ts'

/** Lets go of all that is kept for a run that is over. Its place is free when its worker has ended. */
const forget = (
  { events, memories, limiter, ownPods }: SearchDependencies,
  { metadata: { uid } }: Search,
  runId: string,
): void => {
  events.forget(runId)
  memories.forget(uid)
  limiter.leave(uid, ownPods.hasLive(uid))
}

/** Ends a run. Its topic says so before its status does: what was not told is told again, what is in the status is over. */
export const end = async (
  dependencies: SearchDependencies,
  run: Run,
  { desiredStatus, concluded, tell, stops }: Extract<Decision, { kind: 'end' }>,
): Promise<Result> => {
  const { search, runId, pods, signal } = run
  if (tell && !(await tellFailure(dependencies, { runId, failure: tell, signal }))) return requeueAfter(0)
  if (stops && pods.current && isLive(pods.current.state)) await stopPod(dependencies, pods.current.pod, signal)
  await settle(dependencies, run, desiredStatus, {
    ...(typeof concluded?.listingsFound === 'number' ? { listingsFound: concluded.listingsFound } : {}),
    ...(typeof concluded?.marketPrice === 'number' ? { marketPrice: concluded.marketPrice } : {}),
  })
  dependencies.runMetrics?.ended('search', desiredStatus)
  logEnd(dependencies.log, { workload: 'search', object: search, runId, desiredStatus, now: dependencies.clock.now() })
  if (desiredStatus.phase === 'Failed') warn(dependencies, search, desiredStatus.reason, desiredStatus.message)
  if (!stops && pods.current) await releaseWorker(dependencies, pods.current)
  forget(dependencies, search, runId)
  return done
}

/**
 * A suspended Search has no run: what it had is ended, and what is resumed is another one. The status says so before anybody
 * is told: were it resumed in between, the run that was told to have ended would go on. Whoever is not told asks again, and is.
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
  forget(dependencies, search, runId)
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

/** A Search that has ended stays for a while with its pod, and goes. */
export const expire = async (
  dependencies: SearchDependencies,
  search: Search,
  signal: AbortSignal,
): Promise<Result> => {
  forget(dependencies, search, runIdOf(search))
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
