import { type GenerationJob, type GenerationJobStatus, generationJobs } from '../crds/mod.ts'
import { type Desired, writeRunStatus } from '../runs/mod.ts'
import { createOwned, findOwned, isBeingDeleted, isNotFound, remove } from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'
import { type BatchJob, batchJobFor, batchJobs } from './batch-job.ts'
import type { GenerationDependencies } from './dependencies.ts'
import type { GpuRequest } from './gpu-request.ts'

/** Patches the status; see `writeRunStatus`. */
export const writeStatus = (
  { client, generationJobs: store }: GenerationDependencies,
  job: GenerationJob,
  desired: Desired<GenerationJobStatus>,
  signal: AbortSignal,
): Promise<GenerationJobStatus> => writeRunStatus({ client, resource: generationJobs, store }, job, desired, signal)

/** Deletes a pod if it still has the uid that was read. */
export const stopPod = ({ client }: GenerationDependencies, pod: Pod, signal: AbortSignal): Promise<void> =>
  remove(client, pods, pod, { signal })

/** Deletes a Job, which remains until its pods are gone. */
export const stopJob = ({ client }: GenerationDependencies, job: BatchJob, signal: AbortSignal): Promise<void> =>
  remove(client, batchJobs, job, { signal, propagationPolicy: 'Foreground' })

/** Deletes an expired GenerationJob; its Jobs and pods are garbage-collected after it. */
export const removeGenerationJob = (
  { client }: GenerationDependencies,
  job: GenerationJob,
  signal: AbortSignal,
): Promise<void> => remove(client, generationJobs, job, { signal, propagationPolicy: 'Background' })

/** Creates the Job of a run, or returns the existing one if the cache does not show it yet. */
export const makeJob = (
  { client, template, instance }: GenerationDependencies,
  job: GenerationJob,
  options: { runId: string; gpu: GpuRequest | undefined; backoffLimit: number },
  signal: AbortSignal,
): Promise<BatchJob> =>
  createOwned(client, batchJobs, batchJobFor(job, { ...options, template, instance }), job, { signal })

/** Whether the object still exists on the server and is not being deleted: the cache may lag. */
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

/** Whether a pod exists on the server and the run controls it: the cache may lag. */
export const isPresent = async (
  { client }: GenerationDependencies,
  job: GenerationJob,
  name: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const ref = { name, namespace: job.metadata.namespace ?? 'default' }
  return (await findOwned(client, pods, ref, job, { signal })) !== undefined
}
