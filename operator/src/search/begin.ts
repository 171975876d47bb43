import { type SearchStatus, searches } from '../crds/mod.ts'
import {
  assignRun,
  type Desired,
  lookedAgain,
  orderRun,
  podStateOf,
  refusedAgain,
  runStatus,
  startingQuietly,
} from '../runs/mod.ts'
import {
  done,
  isNamespaceTerminating,
  isRefused,
  keyOf,
  ownerReference,
  type Result,
  requeueAfter,
} from '../runtime/mod.ts'
import { annotation, type Pod } from '../workers/mod.ts'
import type { Decision } from './decide.ts'
import type { SearchDependencies } from './dependencies.ts'
import { searchPodNames } from './pod.ts'
import { type Run, settle, warn } from './run.ts'
import { orderOf } from './subject.ts'
import { makePod, stopPod, writeStatus } from './writes.ts'

/**
 * Requests a plan from the listings service for a run that it did not request; returns the milliseconds until the next
 * check.
 */
export const order = (dependencies: SearchDependencies, run: Run): Promise<number | undefined> =>
  orderRun(dependencies, { ...run, object: run.search }, () => orderOf(run.search, run.runId))

/** Assigns the run to a pod. */
export const assign = (dependencies: SearchDependencies, run: Run, pod: Pod): Promise<void> =>
  assignRun(dependencies, { ...run, object: run.search }, pod)

/** Claims an idle pod for an attempt, else creates one, and assigns the run to it at once. */
const getPod = async (dependencies: SearchDependencies, run: Run, attempt: number): Promise<Pod> => {
  const { search, runId, signal } = run
  const claim = {
    workload: 'search' as const,
    namespace: search.metadata.namespace ?? 'default',
    owner: ownerReference(searches, search),
    runId,
    annotations: { [annotation.runAttempt]: String(attempt) },
  }
  const claimed = await dependencies.claims.claim(claim, signal)
  const pod = claimed ?? (await makePod(dependencies, search, { runId, attempt }, signal))
  dependencies.ownPods.note(search.metadata.uid, pod)
  await assign(dependencies, run, pod)
  return pod
}

/**
 * Handles a pod creation that failed. If the API server rejected the pod by quota or policy, the slot is freed; after
 * any other failure it is unknown whether a pod exists, and the slot stays taken until that is clear.
 */
const refused = async (dependencies: SearchDependencies, run: Run, error: unknown): Promise<Result> => {
  if (!isRefused(error)) throw error
  dependencies.limiter.leave(run.search.metadata.uid)
  if (isNamespaceTerminating(error)) return done
  const message = `Quota or policy: the API server refused the pod: ${error.message}`
  await settle(dependencies, run, { phase: 'Pending', reason: 'Unschedulable', message })
  return requeueAfter(refusedAgain)
}

/** Obtains a worker for a run and requests its plan at the same time. */
const obtain = async (
  dependencies: SearchDependencies,
  run: Run,
  { attempt, because }: Extract<Decision, { kind: 'obtain' }>,
): Promise<Result> => {
  const { search, pods } = run
  // Wait for both, even if one fails: a claim that outlived this reconcile could assign a second pod to the run.
  const [obtained, ordered] = await Promise.allSettled([getPod(dependencies, run, attempt), order(dependencies, run)])
  if (obtained.status === 'rejected') return refused(dependencies, run, obtained.reason)
  if (ordered.status === 'rejected') throw ordered.reason
  if (because === undefined) return requeueAfter(startingQuietly)
  const message = `${because} Another worker is started.`
  warn(dependencies, search, 'WorkerLost', message)
  dependencies.log.info(
    { runId: run.runId, object: keyOf(search.metadata), because },
    'repair: a lost worker is replaced',
  )
  // The attempt number must survive this process: the status stores it, and until then the pod does.
  const pod = obtained.value
  const isClaimed = !searchPodNames(search, run.runId).includes(pod.metadata.name)
  const found = { ...run, pods: { ...pods, current: { pod, state: podStateOf(pod), isClaimed, attempt } } }
  await settle(dependencies, found, { phase: 'Pending', reason: 'Starting', message })
  return done
}

const waitForSlot = async (
  dependencies: SearchDependencies,
  { search, runId, memory, signal }: Run,
): Promise<Result> => {
  const { clock, limiter } = dependencies
  const message = `Run limit: ${limiter.total} searches, the maximum, have workers. This one starts when one of them ends.`
  // Its deadline has not started.
  memory.acceptedAt = clock.now()
  const desiredStatus = runStatus(search, { phase: 'Pending', reason: 'Unschedulable', message }, clock.now())
  await writeStatus(dependencies, search, { ...desiredStatus, sessionId: runId } as Desired<SearchStatus>, signal)
  return requeueAfter(lookedAgain)
}

/** Starts an attempt at a run once the previous run's workers have ended and a slot is free. */
export const begin = async (
  dependencies: SearchDependencies,
  run: Run,
  decision: Extract<Decision, { kind: 'obtain' }>,
): Promise<Result> => {
  const { search, pods, signal } = run
  for (const pod of pods.leftovers) await stopPod(dependencies, pod, signal)
  if (pods.leftovers.length > 0) return requeueAfter(lookedAgain)
  const { namespace, name, uid } = search.metadata
  return dependencies.limiter.take(uid, `${namespace}/${name}`)
    ? obtain(dependencies, run, decision)
    : waitForSlot(dependencies, run)
}
