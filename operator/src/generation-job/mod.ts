/** GenerationJobs: the controller that runs each in a Job or an idle worker, and what the RPC server needs. */
import { type GenerationJob, generationJobs } from '../crds/mod.ts'
import type { WorkloadRuns } from '../rpc/workload-runs.ts'
import { attendRuns, createRunMemories, isFinished, runIdIndex, runIndexes, unfinishedIndex } from '../runs/mod.ts'
import {
  type Controller,
  type KubeObject,
  keyOf,
  type Manager,
  type Mapper,
  type Store,
  toController,
  toSelf,
} from '../runtime/mod.ts'
import { label, type Pod } from '../workers/mod.ts'
import { batchJobCache, batchJobs } from './batch-job.ts'
import type { GenerationParts, GenerationStores } from './dependencies.ts'
import type { GenerationMemories } from './memory.ts'
import { reconcileGenerationJob } from './reconcile.ts'
import { generationFor, generationNameOf } from './subject.ts'

/** Runs reconciled concurrently: reconciles mostly wait for the API server and the bus. */
const workers = 8

/** Declares the caches of GenerationJobs, indexed by run id, and of their Jobs. */
export const cacheGenerations = (
  manager: Pick<Manager, 'cache'>,
  { instance, pods }: { instance: string; pods: Store<Pod> },
): GenerationStores => ({
  generationJobs: manager.cache(generationJobs, { indexes: runIndexes }),
  batchJobs: manager.cache(batchJobs, batchJobCache(instance)),
  pods,
})

/** The pods of a run: a claimed one, and those of its Jobs. */
const podsOf = ({ batchJobs: jobs, pods }: GenerationStores, { metadata }: KubeObject): Pod[] => [
  ...pods.by('owner', metadata.uid),
  ...jobs.by('owner', metadata.uid).flatMap((job) => pods.by('owner', job.metadata.uid)),
]

/** What the RPC server needs to know about GenerationJobs. */
export const generationRuns = ({
  stores,
  total,
  ...draftOptions
}: {
  stores: GenerationStores
  total: number
  /** Namespace of new GenerationJobs; `ttlSeconds` is how long they stay after they end. */
  namespace: string
  ttlSeconds: number
}): WorkloadRuns<GenerationJob> => ({
  workload: 'WORKLOAD_GENERATION',
  resource: generationJobs,
  store: stores.generationJobs,
  nameOf: generationNameOf,
  draftOf: (request) => (request.generation ? generationFor(request, request.generation, draftOptions) : undefined),
  podsOf: (object) => podsOf(stores, object),
  total,
})

/** Maps the pods of a run to its object, whether it owns them itself or through a Job. */
const toRun =
  (store: Store<GenerationJob>): Mapper<KubeObject> =>
  ({ object }) => {
    const runId = object.metadata.labels?.[label.runId]
    return runId === undefined ? [] : store.by(runIdIndex, runId).map(({ metadata }) => keyOf(metadata))
  }

/** Maps the end of a run to the runs waiting for a slot. */
const toWaiting =
  (store: Store<GenerationJob>): Mapper<GenerationJob> =>
  (change) => {
    const hasEnded =
      change.type === 'deleted' ||
      (change.type === 'changed' && isFinished(change.object) && !isFinished(change.previous))
    if (!hasEnded) return []
    return store
      .by(unfinishedIndex, unfinishedIndex)
      .filter(({ status }) => status.phase === 'Pending' && status.startTime === undefined)
      .map(({ metadata }) => keyOf(metadata))
  }

/** Adds the controller of GenerationJobs to a manager. */
export const addGenerationController = (
  manager: Pick<Manager, 'controller' | 'whileLeading'>,
  parts: GenerationParts,
): Controller => {
  const { generationJobs: store, pods, clock } = parts
  const memories: GenerationMemories = createRunMemories(clock)
  const controller = manager.controller({
    name: 'generationjob',
    workers,
    reconcile: reconcileGenerationJob({ ...parts, memories }),
  })
  controller.watch(store, toSelf)
  controller.watch(store, toWaiting(store))
  controller.watch(parts.batchJobs, toController(generationJobs))
  controller.watch(pods, toRun(store))
  const onDeleted = ({ metadata }: GenerationJob) => memories.drop(metadata.uid)
  attendRuns(manager, controller, { ...parts, kind: 'generation', resource: generationJobs, store, onDeleted })
  return controller
}

export type { GenerationParts, GenerationStores } from './dependencies.ts'
