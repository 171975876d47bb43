import type { GenerationJob } from '../crds/mod.ts'
import { isLive, isLoss, type PodState, podStateOf } from '../runs/mod.ts'
import { controllerOf, type Store } from '../runtime/mod.ts'
import { label, type Pod } from '../workers/mod.ts'
import { type BatchJob, type BatchState, batchJobName, batchStateOf, podsMadeBy } from './batch-job.ts'
import { hasFallenBack } from './gpu-fallback.ts'
import { type GpuRequest, gpuRequest } from './gpu-request.ts'

export type RunPod = { pod: Pod; state: PodState }

/** A claimed worker that was lost without a report. */
export type LostClaim = {
  message: string
  /** Whether the worker itself failed, so that it counts as a failed attempt. */
  isServiceError: boolean
}

/** The Jobs and pods of a run in the cluster. */
export type Survey = {
  /** The GPUs that its Job has or should have. */
  gpu: GpuRequest | undefined
  /** Its Job, with or without GPUs as currently desired. */
  batch?: { job: BatchJob; state: BatchState }
  /** Obsolete Jobs, which may still have pods. */
  surplus: readonly BatchJob[]
  /** The pod that does the run, or last did. */
  current?: RunPod & { isClaimed: boolean }
  /** All pods of the run that may be working. */
  live: readonly Pod[]
  lostClaim?: LostClaim
  /** The name of a pod that the status names and that does not exist. */
  missing?: string
  /** Number of pods started, as far as the existing ones show. */
  attempts: number
}

const newestFirst = (a: RunPod, b: RunPod): number =>
  Number(isLive(b.state)) - Number(isLive(a.state)) ||
  (b.pod.metadata.creationTimestamp ?? '').localeCompare(a.pod.metadata.creationTimestamp ?? '') ||
  a.pod.metadata.name.localeCompare(b.pod.metadata.name)

const lossOf = ({ state }: RunPod): LostClaim | undefined => {
  if (state.kind !== 'failed' || !(isLoss(state.cause) || state.cause === 'OOMKilled')) return undefined
  return { message: state.message, isServiceError: state.cause === 'OOMKilled' || state.cause === 'Crashed' }
}

/** Classifies the Jobs and pods of a run. */
export const survey = (
  job: GenerationJob,
  { runId, jobs, pods }: { runId: string; jobs: Store<BatchJob>; pods: Store<Pod> },
): Survey => {
  const { uid } = job.metadata
  const gpu = hasFallenBack(job) ? undefined : gpuRequest(job)
  const owned = jobs.by('owner', uid).filter((one) => controllerOf(one)?.uid === uid)
  const name = batchJobName(job, runId, gpu)
  const desired = owned.find(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined)
  const seen = (owner: string): RunPod[] => pods.by('owner', owner).map((pod) => ({ pod, state: podStateOf(pod) }))
  const made = desired ? seen(desired.metadata.uid).sort(newestFirst) : []
  const claims = seen(uid)
    .filter(({ pod }) => pod.metadata.labels?.[label.runId] === runId && controllerOf(pod)?.uid === uid)
    .sort(newestFirst)
  const claimed = claims.find((one) => !lossOf(one))
  const { podName, attempts: held = 0 } = job.status
  const known = [...made, ...claims].find(({ pod }) => pod.metadata.name === podName)
  // A Job counts and replaces its pods itself.
  const isOfJob = [gpuRequest(job), undefined].some((gpuRequest) =>
    podName?.startsWith(`${batchJobName(job, runId, gpuRequest)}-`),
  )
  const missing = podName !== undefined && !known && !isOfJob ? podName : undefined
  const lost = claims.map(lossOf).find((loss) => loss !== undefined)
  const lostClaim = lost ?? (missing ? { message: `Its pod ${missing} is gone.`, isServiceError: false } : undefined)
  const current = claimed ? { ...claimed, isClaimed: true } : made[0] && { ...made[0], isClaimed: false }
  const counted = claims.length + (desired ? podsMadeBy(desired) : 0)
  const isNew = current !== undefined && podName !== undefined && current.pod.metadata.name !== podName
  // An unscheduled pod has not started.
  const notBegun = Number(current?.state.kind === 'unscheduled')
  return {
    gpu,
    surplus: owned.filter((one) => one !== desired),
    live: [...made, ...claims].filter(({ state }) => isLive(state)).map(({ pod }) => pod),
    attempts: Math.max(
      held,
      held + Number(isNew) - notBegun,
      counted - notBegun,
      Number(current !== undefined) - notBegun,
    ),
    ...(desired ? { batch: { job: desired, state: batchStateOf(desired) } } : {}),
    ...(current ? { current } : {}),
    ...(lostClaim ? { lostClaim } : {}),
    ...(missing ? { missing } : {}),
  }
}
