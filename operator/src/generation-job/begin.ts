import { generationJobs } from '../crds/mod.ts'
import { lookedAgain, startingQuietly } from '../runs/mod.ts'
import {
  createOwned,
  done,
  findOwned,
  isBeingDeleted,
  isNotFound,
  ownerReference,
  type Result,
  requeueAfter,
} from '../runtime/mod.ts'
import { pods as podKind } from '../workers/mod.ts'
import { batchJobFor, batchJobs, queueOf } from './batch-job.ts'
import { isBelowLimit } from './concurrency-limit.ts'
import type { Decision } from './decide.ts'
import type { GenerationDependencies, GenerationRun } from './dependencies.ts'
import { fallbackCondition, gpuFallback } from './gpu-fallback.ts'
import { requestsResources } from './gpu-request.ts'

type Obtain = Extract<Decision, { kind: 'obtain' }>

/** Claims an idle worker and assigns the run to it, or creates a Job. */
const getWorker = async (
  { client, claims, steps, template, instance }: GenerationDependencies,
  run: GenerationRun,
  { mayClaim, backoffLimit }: Obtain,
): Promise<GenerationRun> => {
  const { object, runId, found, signal } = run
  const isClaimable = mayClaim && queueOf(object) === undefined && !requestsResources(object)
  const claim = {
    workload: 'generation' as const,
    namespace: object.metadata.namespace ?? 'default',
    owner: ownerReference(generationJobs, object),
    runId,
  }
  // Settle even if no new claim is allowed: the response to an earlier one may have been lost, and its pod may be
  // working.
  const claimed = await (isClaimable ? claims.claim(claim, signal) : claims.settle(claim, signal))
  if (claimed) await steps.assign(run, claimed)
  else {
    const draft = batchJobFor(object, { runId, gpu: found.gpu, backoffLimit, template, instance })
    // Returns the existing Job if the cache does not show it yet.
    await createOwned(client, batchJobs, draft, object, { signal })
  }
  return run
}

/** Whether the object still exists on the server and is not being deleted: the cache may lag. */
const isDesired = async (
  { client }: GenerationDependencies,
  { object: { metadata }, signal }: GenerationRun,
): Promise<boolean> => {
  try {
    const live = await client.get(generationJobs, metadata, { signal })
    return live.metadata.uid === metadata.uid && !isBeingDeleted(live)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Whether a pod that seems gone exists on the server and the run controls it: the cache may lag, and it may be working. */
const isThereAfterAll = async (
  { client }: GenerationDependencies,
  { object, found: { missing }, signal }: GenerationRun,
): Promise<boolean> => {
  if (missing === undefined) return false
  const ref = { name: missing, namespace: object.metadata.namespace ?? 'default' }
  return (await findOwned(client, podKind, ref, object, { signal })) !== undefined
}

/** Starts or continues a run once its obsolete Jobs are gone and a slot is free. */
export const begin = async (
  dependencies: GenerationDependencies,
  run: GenerationRun,
  decision: Obtain,
): Promise<Result> => {
  const { steps, stopJob } = dependencies
  const { object, found, memory, signal } = run
  // Never two workers at the same time: the next is created once the last is gone.
  for (const one of found.surplus) await stopJob(one, signal)
  if (found.surplus.length > 0) return requeueAfter(lookedAgain)
  if (await isThereAfterAll(dependencies, run)) return requeueAfter(startingQuietly)
  if (!isBelowLimit(dependencies, object)) return steps.waitForSlot(run)
  // Its workers may be missing because it was deleted itself: the two caches are not synchronized.
  const hasBegun = memory.isAdmitted || object.status.startTime !== undefined
  if (hasBegun && !(await isDesired(dependencies, run))) return done
  memory.isAdmitted = true
  return steps.obtain(run, {
    getWorker: () => getWorker(dependencies, run, decision),
    because: decision.because,
    refused: 'worker',
  })
}

/** Continues without a GPU, in another Job. */
export const fallBack = async (
  { steps, stop }: GenerationDependencies,
  run: GenerationRun,
  message: string,
): Promise<Result> => {
  steps.warn(run.object, gpuFallback, message)
  // Write the status first, so that a new leader makes the same decision.
  const condition = fallbackCondition(run.object, message)
  await steps.settle(run, { phase: 'Pending', reason: 'Starting', message }, { condition })
  await stop(run)
  return requeueAfter(startingQuietly)
}
