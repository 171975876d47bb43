import { type GenerationJob, generationJobs } from '../crds/mod.ts'
import { reportedExitCode } from '../runs/mod.ts'
import {
  type CacheOptions,
  type Draft,
  deterministicName,
  type KubeObject,
  ownerReference,
  resource,
  withoutManagedFields,
} from '../runtime/mod.ts'
import { commonLabels, label, type PodSpec, podMetadata, podSpec, type WorkerTemplate } from '../workers/mod.ts'
import { type GpuRequest, resourceOverrides } from './gpu-request.ts'

export type BatchCondition = { type: string; status: string; reason?: string; message?: string }

/** A Job of `batch/v1`, reduced to the fields written and read here. */
export type BatchJob = KubeObject & {
  spec?: {
    suspend?: boolean
    backoffLimit: number
    completions: 1
    parallelism: 1
    podReplacementPolicy: 'Failed'
    podFailurePolicy: { rules: readonly object[] }
    template: { metadata: { labels: Record<string, string>; annotations: Record<string, string> }; spec: PodSpec }
  }
  status?: {
    active?: number
    succeeded?: number
    failed?: number
    terminating?: number
    conditions?: readonly BatchCondition[]
  }
}

export const batchJobs = resource<BatchJob>({
  group: 'batch',
  version: 'v1',
  plural: 'jobs',
  kind: 'Job',
  namespaced: true,
})

/** Cache options for Jobs: only the generation workers of one installation, without their pod templates. */
export const batchJobCache = (instance: string): CacheOptions<BatchJob> => ({
  selection: {
    labelSelector: `${label.managedBy}=trellis-operator,${label.component}=generation-worker,${label.instance}=${instance}`,
  },
  transform: (job) => {
    const { metadata, spec, status } = withoutManagedFields(job)
    const conditions = status?.conditions?.filter((condition) => condition.status === 'True')
    return {
      metadata,
      // Kueue may change nearly all of the spec; only `suspend` is read.
      ...(spec?.suspend ? { spec: { suspend: true } as NonNullable<BatchJob['spec']> } : {}),
      status: { ...status, ...(conditions ? { conditions } : {}) },
    }
  },
})

/** Labels that Kueue reads on a Job; they are copied unchanged. */
const queueLabels = ['kueue.x-k8s.io/queue-name', 'kueue.x-k8s.io/priority-class'] as const

/** The queue that has to admit a run. */
export const queueOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[queueLabels[0]]

const passedOn = ({ metadata }: GenerationJob): Record<string, string> =>
  Object.fromEntries(queueLabels.flatMap((name) => (metadata.labels?.[name] ? [[name, metadata.labels[name]]] : [])))

/**
 * The name of the Job for a run with or without GPUs. Its pods carry the name as a label value, hence the limit of 52.
 */
export const batchJobName = ({ metadata }: GenerationJob, runId: string, gpu: GpuRequest | undefined): string =>
  deterministicName([metadata.name, metadata.uid, runId, gpu ? 'gpu' : 'cpu'], 52)

export const workerContainer = 'worker'

/**
 * Builds the Job for a run. A worker that reports that the run is impossible fails the Job; a disrupted pod is replaced
 * without counting; any other failure counts against `backoffLimit`. No second pod is created while the first may still
 * be working. If a queue has to admit the Job, it starts suspended.
 */
export const batchJobFor = (
  job: GenerationJob,
  {
    runId,
    gpu,
    backoffLimit,
    template,
    instance,
  }: { runId: string; gpu: GpuRequest | undefined; backoffLimit: number; template: WorkerTemplate; instance: string },
): Draft<BatchJob> => {
  const labels = {
    ...commonLabels({ instance, component: 'generation-worker' }),
    [label.runId]: runId,
    [label.workload]: 'generation',
  }
  return {
    metadata: {
      name: batchJobName(job, runId, gpu),
      ...(job.metadata.namespace === undefined ? {} : { namespace: job.metadata.namespace }),
      labels: { ...labels, ...passedOn(job) },
      ownerReferences: [ownerReference(generationJobs, job)],
    },
    spec: {
      ...(queueOf(job) === undefined ? {} : { suspend: true }),
      completions: 1,
      parallelism: 1,
      backoffLimit,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: { containerName: workerContainer, operator: 'In', values: [reportedExitCode] },
          },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        metadata: podMetadata(template, { labels }),
        spec: podSpec(template, { container: workerContainer, ...resourceOverrides(job, gpu) }),
      },
    },
  }
}

/** State of a Job. */
export type BatchState =
  | { kind: 'suspended' }
  | { kind: 'active' }
  | { kind: 'complete' }
  /** `isReported`: the worker reported that the run is impossible. */
  | { kind: 'failed'; isReported: boolean; message: string }

export const batchStateOf = ({ spec, status }: BatchJob): BatchState => {
  const holds = (...types: string[]) =>
    status?.conditions?.find((condition) => types.includes(condition.type) && condition.status === 'True')
  // FailureTarget and SuccessCriteriaMet are set first, while pods are still terminating.
  const failed = holds('Failed', 'FailureTarget')
  if (failed)
    return {
      kind: 'failed',
      isReported: failed.reason === 'PodFailurePolicy',
      message: failed.message ?? 'Its Job failed.',
    }
  if (holds('Complete', 'SuccessCriteriaMet')) return { kind: 'complete' }
  return spec?.suspend ? { kind: 'suspended' } : { kind: 'active' }
}

/** Number of pods that a Job has created so far, without disrupted ones. */
export const podsMadeBy = ({ status }: BatchJob): number =>
  (status?.active ?? 0) + (status?.succeeded ?? 0) + (status?.failed ?? 0)
