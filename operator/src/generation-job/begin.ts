import { generationJobs } from '../crds/mod.ts'
import { assignRun, lookedAgain, orderRun, refusedAgain, startingQuietly } from '../runs/mod.ts'
import {
  done,
  isNamespaceTerminating,
  isRefused,
  keyOf,
  ownerReference,
  type Result,
  requeueAfter,
} from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { queueOf } from './batch-job.ts'
import { isBelowLimit } from './concurrency-limit.ts'
import type { Decision } from './decide.ts'
import type { GenerationDependencies } from './dependencies.ts'
import { stopRun } from './finish.ts'
import { requestsResources } from './gpu-request.ts'
import { type Run, settle, warn } from './run.ts'
import { gpuFallback } from './status.ts'
import { orderOf } from './subject.ts'
import { isDesired, isPresent, makeJob, stopJob } from './writes.ts'

type Obtain = Extract<Decision, { kind: 'obtain' }>

/**
 * Requests a plan from the music service for a run that it did not request; returns the milliseconds until the next
 * check.
 */
export const order = (dependencies: GenerationDependencies, run: Run): Promise<number | undefined> =>
  orderRun(dependencies, { ...run, object: run.job }, () => orderOf(run.job, run.runId))

/** Assigns the run to a pod. */
export const assign = (dependencies: GenerationDependencies, run: Run, pod: Pod): Promise<void> =>
  assignRun(dependencies, { ...run, object: run.job }, pod)

/** Claims an idle worker and assigns the run to it, or creates a Job. */
const getWorker = async (
  dependencies: GenerationDependencies,
  run: Run,
  { mayClaim, backoffLimit }: Obtain,
): Promise<void> => {
  const { job, runId, gpu, signal } = run
  const isClaimable = mayClaim && queueOf(job) === undefined && !requestsResources(job)
  const claim = {
    workload: 'generation' as const,
    namespace: job.metadata.namespace ?? 'default',
    owner: ownerReference(generationJobs, job),
    runId,
  }
  // Settle even if no new claim is allowed: the response to an earlier one may have been lost, and its pod may be
  // working.
  const claimed = await (isClaimable
    ? dependencies.claims.claim(claim, signal)
    : dependencies.claims.settle(claim, signal))
  if (claimed) await assign(dependencies, run, claimed)
  else await makeJob(dependencies, job, { runId, gpu, backoffLimit }, signal)
}

/** Handles a creation that failed; reports a rejection by quota or policy in the status. */
const refused = async (dependencies: GenerationDependencies, run: Run, error: unknown): Promise<Result> => {
  if (!isRefused(error)) throw error
  if (isNamespaceTerminating(error)) return done
  const message = `Quota or policy: the API server refused the worker: ${error.message}`
  await settle(dependencies, run, { phase: 'Pending', reason: 'Unschedulable', message })
  return requeueAfter(refusedAgain)
}

/** Obtains a worker for a run and requests its plan at the same time. */
const obtain = async (dependencies: GenerationDependencies, run: Run, decision: Obtain): Promise<Result> => {
  // Wait for both, even if one fails: a claim that outlived this reconcile could assign a second pod to the run.
  const [obtained, ordered] = await Promise.allSettled([
    getWorker(dependencies, run, decision),
    order(dependencies, run),
  ])
  if (obtained.status === 'rejected') return refused(dependencies, run, obtained.reason)
  if (ordered.status === 'rejected') throw ordered.reason
  if (decision.because === undefined) return requeueAfter(startingQuietly)
  const message = `${decision.because} Another worker is started.`
  warn(dependencies, run.job, 'WorkerLost', message)
  dependencies.log.info(
    { runId: run.runId, object: keyOf(run.job.metadata), because: decision.because },
    'repair: a lost worker is replaced',
  )
  await settle(dependencies, run, { phase: 'Pending', reason: 'Starting', message })
  return done
}

const waitForSlot = async (dependencies: GenerationDependencies, run: Run): Promise<Result> => {
  const { clock, maxRuns } = dependencies
  const message = `Run limit: ${maxRuns} generations, the maximum, have workers. This one starts when one of them ends.`
  run.memory.acceptedAt = clock.now()
  await settle(dependencies, run, { phase: 'Pending', reason: 'Unschedulable', message }, { isHeld: true })
  return requeueAfter(lookedAgain)
}

/** Starts or continues a run once its obsolete Jobs are gone and a slot is free. */
export const begin = async (dependencies: GenerationDependencies, run: Run, decision: Obtain): Promise<Result> => {
  const { job, found, memory, signal } = run
  // Never two workers at the same time: the next is created once the last is gone.
  for (const one of found.surplus) await stopJob(dependencies, one, signal)
  if (found.surplus.length > 0) return requeueAfter(lookedAgain)
  // The cache may lag, and a pod that seems gone may be working.
  if (found.missing !== undefined && (await isPresent(dependencies, job, found.missing, signal)))
    return requeueAfter(startingQuietly)
  if (!isBelowLimit(dependencies, job)) return waitForSlot(dependencies, run)
  // Its workers may be missing because it was deleted itself: the two caches are not synchronized.
  const hasBegun = memory.isAdmitted || job.status.startTime !== undefined
  if (hasBegun && !(await isDesired(dependencies, job, signal))) return done
  memory.isAdmitted = true
  return obtain(dependencies, run, decision)
}

/** Continues without a GPU, in another Job. */
export const fallBack = async (dependencies: GenerationDependencies, run: Run, message: string): Promise<Result> => {
  warn(dependencies, run.job, gpuFallback, message)
  // Write the status first, so that a new leader makes the same decision.
  await settle(dependencies, run, { phase: 'Pending', reason: 'Starting', message }, { fallenBack: message })
  await stopRun(dependencies, run.found, run.signal)
  return requeueAfter(startingQuietly)
}
