import { type GenerationJob, type GenerationJobStatus, generationJobs } from '../crds/mod.ts'
import { type Desired, writeRunStatus } from '../runs/mod.ts'
import { createOwned, findOwned, isBeingDeleted, isNotFound, remove } from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'
import { type BatchJob, batchJobFor, batchJobs } from './batch-job.ts'
import type { GenerationDependencies } from './dependencies.ts'
import type { GpuRequest } from './gpu-wish.ts'

/** Brings a status to what is wanted; see `writeRunStatus`. */
export const writeStatus = (
  { client, generationJobs: store }: GenerationDependencies,
  job: GenerationJob,
  desired: Desired<GenerationJobStatus>,
  signal: AbortSignal,
): Promise<GenerationJobStatus> => writeRunStatus({ client, resource: generationJobs, store }, job, desired, signal)

/** Asks for the end of a pod, if it is still the one that was looked at. */
export const stopPod = ({ client }: GenerationDependencies, pod: Pod, signal: AbortSignal): Promise<void> =>
  remove(client, pods, pod, { signal })

/** Asks for the end of a Job, which stays until its pods have gone. */
export const stopJob = ({ client }: GenerationDependencies, job: BatchJob, signal: AbortSignal): Promise<void> =>
  remove(client, batchJobs, job, { signal, propagationPolicy: 'Foreground' })

/** Removes a GenerationJob whose time is over; its Jobs and pods go after it. */
export const removeGenerationJob = (
  { client }: GenerationDependencies,
  job: GenerationJob,
  signal: AbortSignal,
): Promise<void> => remove(client, generationJobs, job, { signal, propagationPolicy: 'Background' })

/** Makes the Job of a run, or gives the one that was made already and is not seen yet. */
export const makeJob = (
  { client, template, instance }: GenerationDependencies,
  job: GenerationJob,
  overrides: { runId: string; gpu: GpuRequest | undefined; backoffLimit: number },
  signal: AbortSignal,
): Promise<BatchJob> =>
  createOwned(client, batchJobs, batchJobFor(job, { ...overrides, template, instance }), job, { signal })

/** Whether the server still has the object, and nobody has deleted it: a cache may be behind. */
export const isDesired = async (
  { client }: GenerationDependencies,
  { metadata }: GenerationJob,
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    const live = await client.get(generationJobs, metadata, { signal })
    return live.metadata.uid === metadata.uid && !isBeingDeleted(live)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Whether there is a pod of a name, and it is the run's: a cache that does not show it may be behind. */
export const isPresent = async (
  { client }: GenerationDependencies,
  job: GenerationJob,
  name: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const ref = { name, namespace: job.metadata.namespace ?? 'default' }
  return (await findOwned(client, pods, ref, job, { signal })) !== undefined
}
