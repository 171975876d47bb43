import { type GenerationJob, generationJobs } from '../crds/mod.ts'
import {
  isFinished,
  isLive,
  type KindWorkers,
  type RunSurroundings,
  runIdIndex,
  runPodView,
  unfinishedIndex,
} from '../runs/mod.ts'
import { keyOf, type Mapper, remove, type Store, toController, whenChanged } from '../runtime/mod.ts'
import { label, type Pod } from '../workers/mod.ts'
import { advance } from './advance.ts'
import { batchJobCache, batchJobs } from './batch-job.ts'
import type { GenerationDependencies, GenerationParts } from './dependencies.ts'
import { type Survey, survey } from './survey.ts'

/** Maps the pods of a run to its object, whether it owns them itself or through a Job. */
const toRun =
  (store: Store<GenerationJob>): Mapper<Pod> =>
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

/** Creates the part of the GenerationJob controller that obtains Jobs and pods. */
export const createGenerationWorkers = (
  parts: GenerationParts,
  cache: RunSurroundings['cache'],
): KindWorkers<GenerationJob, Survey> => {
  const { client, store, pods, steps, instance } = parts
  const jobs = cache(batchJobs, batchJobCache(instance))
  const surveyed = (job: GenerationJob, runId: string) => survey(job, { runId, jobs, pods })

  const stopJob: GenerationDependencies['stopJob'] = (job, signal) =>
    remove(client, batchJobs, job, { signal, propagationPolicy: 'Foreground' })

  const stop: GenerationDependencies['stop'] = async ({ found: { batch, current, surplus }, signal }) => {
    const isAtWork = batch && (batch.state.kind === 'active' || batch.state.kind === 'suspended')
    for (const job of [...(isAtWork ? [batch.job] : []), ...surplus]) await stopJob(job, signal)
    if (current?.isClaimed && isLive(current.state)) await steps.stopPod(current.pod, signal)
  }
  const dependencies = { ...parts, batchJobs: jobs, stopJob, stop }

  return {
    watch: (controller) => {
      controller.watch(store, toWaiting(store))
      controller.watch(jobs, toController(generationJobs))
      controller.watch(pods, whenChanged(runPodView, toRun(store)))
    },
    podsOf: ({ metadata }) => [
      ...pods.by('owner', metadata.uid),
      ...jobs.by('owner', metadata.uid).flatMap((job) => pods.by('owner', job.metadata.uid)),
    ],
    survey: surveyed,
    advance: (run) => advance(dependencies, run),
    stop,
    haveWorkers: (job, runId) => surveyed(job, runId).live.length > 0,
    stopAll: (job, runId, signal) => stop({ found: surveyed(job, runId), signal }),
  }
}
