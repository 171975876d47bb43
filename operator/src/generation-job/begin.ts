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
import { asksForResources } from './gpu-wish.ts'
import { type Run, settle, warn } from './run.ts'
import { gpuFallback } from './status.ts'
import { orderOf } from './subject.ts'
import { isDesired, isPresent, makeJob, stopJob } from './writes.ts'

type Obtain = Extract<Decision, { kind: 'obtain' }>

/** Has the music service plan a run that it did not ask for; gives the milliseconds until that is to be looked at again. */
export const order = (dependencies: GenerationDependencies, run: Run): Promise<number | undefined> =>
  orderRun(dependencies, { ...run, object: run.job }, () => orderOf(run.job, run.runId))

/** Tells a pod that the run is its. */
export const assign = (dependencies: GenerationDependencies, run: Run, pod: Pod): Promise<void> =>
  assignRun(dependencies, { ...run, object: run.job }, pod)

/** A worker that waits, which is told at once, else a Job that makes one. */
const getWorker = async (
  dependencies: GenerationDependencies,
  run: Run,
  { mayClaim, backoffLimit }: Obtain,
): Promise<void> => {
  const { job, runId, gpu, signal } = run
  const isClaimable = mayClaim && queueOf(job) === undefined && !asksForResources(job)
  const claim = {
    workload: 'generation' as const,
    namespace: job.metadata.namespace ?? 'default',
    owner: ownerReference(generationJobs, job),
    runId,
  }
  // Also where no new claim is made: the answer to an earlier one may have been lost, and its pod be at work.
  const claimed = await (isClaimable
    ? dependencies.claims.claim(claim, signal)
    : dependencies.claims.settle(claim, signal))
  if (claimed) await assign(dependencies, run, claimed)
  else await makeJob(dependencies, job, { runId, gpu, backoffLimit }, signal)
}

/** A Job or pod was refused by the API server for what it is: by a quota, or by a policy. */
const refused = async (dependencies: GenerationDependencies, run: Run, error: unknown): Promise<Result> => {
  if (!isRefused(error)) throw error
  if (isNamespaceTerminating(error)) return done
  const message = `Quota or policy: the API server refused the worker: ${error.message}`
  await settle(dependencies, run, { phase: 'Pending', reason: 'Unschedulable', message })
  return requeueAfter(refusedAgain)
}

/** Gives a run a worker, and orders it beside that. */
const obtain = async (dependencies: GenerationDependencies, run: Run, decision: Obtain): Promise<Result> => {
  // Both are waited for, also where one fails: a claim that went on beside the next reconcile could give the run a second pod.
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

/** Begins a run, or goes on with it, as soon as Jobs that were given up are gone and there is room. */
export const begin = async (dependencies: GenerationDependencies, run: Run, decision: Obtain): Promise<Result> => {
  const { job, found, memory, signal } = run
  // Two workers at a time would be one too many: the next is made when the last is gone.
  for (const one of found.surplus) await stopJob(dependencies, one, signal)
  if (found.surplus.length > 0) return requeueAfter(lookedAgain)
  // The cache may be behind, and a pod that is thought gone may be at work.
  if (found.missing !== undefined && (await isPresent(dependencies, job, found.missing, signal)))
    return requeueAfter(startingQuietly)
  if (!isBelowLimit(dependencies, job)) return waitForSlot(dependencies, run)
  // What it had may be gone since it was deleted itself: the caches of the two are not in step.
  const hasBegun = memory.isAdmitted || job.status.startTime !== undefined
  if (hasBegun && !(await isDesired(dependencies, job, signal))) return done
  memory.isAdmitted = true
  return obtain(dependencies, run, decision)
}

/** Goes on without a GPU, in another Job. */
export const fallBack = async (dependencies: GenerationDependencies, run: Run, message: string): Promise<Result> => {
  warn(dependencies, run.job, gpuFallback, message)
  // Written first: whoever comes after makes no other decision.
  await settle(dependencies, run, { phase: 'Pending', reason: 'Starting', message }, { fallenBack: message })
  await stopRun(dependencies, run.found, run.signal)
  return requeueAfter(startingQuietly)
}
