import { type ContainerState, cannotPull, cannotStart, type Pod } from '../workers/mod.ts'

type Waiting = NonNullable<ContainerState['waiting']>
type Terminated = NonNullable<ContainerState['terminated']>

/** The parts of a pod that determine its state. */
export type SeenPod = Pick<Pod, 'metadata' | 'status'>

/** State of the pod of a one-time run. Messages are for people. */
export type PodState =
  /** It has no node yet; `isGated` if a scheduling gate holds it back on purpose. It may get a node at any time. */
  | { kind: 'unscheduled'; isGated: boolean; message: string }
  /** It has a node and is pulling its image or starting. */
  | { kind: 'starting'; message: string }
  /** It cannot start at present; `isFinal` if waiting cannot help. */
  | { kind: 'unable'; reason: 'ImagePull' | 'Starting'; isFinal: boolean; message: string }
  | { kind: 'running' }
  /** It is being deleted and may still be working. */
  | { kind: 'ending'; message: string }
  /** It ended with code 0. */
  | { kind: 'succeeded'; endedAt: number | undefined }
  /** It ended with a failure; `endedAt` is in milliseconds since 1970. */
  | { kind: 'failed'; cause: PodFailure; message: string; endedAt: number | undefined }

/**
 * Why a pod failed. `OOMKilled`: it exceeded its memory limit. `Evicted` and `WorkerLost`: it was terminated, or its
 * node was lost, regardless of the run. `Reported`: it reported over the bus that it cannot do the run, and why.
 * `Crashed`: a bug of ours.
 */
export type PodFailure = 'OOMKilled' | 'Evicted' | 'WorkerLost' | 'Reported' | 'Crashed'

/** Exit code of a worker that could not do its run and has reported why. */
export const reportedExitCode = 10

/** Whether a failure is unrelated to the run, so that another worker may retry it. */
export const isLoss = (cause: PodFailure): boolean =>
  cause === 'Evicted' || cause === 'WorkerLost' || cause === 'Crashed'

/** Terminated by SIGTERM, as by a pod deletion. */
const isDraining = 128 + 15
/** Killed by SIGKILL, as by the node's kernel. */
const wasKilled = 128 + 9

/** Failure by the pod's reason, if its node ended it. */
const byNode: Record<string, PodFailure> = {
  Evicted: 'Evicted',
  Preempting: 'Evicted',
  Terminated: 'Evicted',
  NodeShutdown: 'Evicted',
  Shutdown: 'Evicted',
  NodeLost: 'WorkerLost',
  NodeAffinity: 'WorkerLost',
  UnexpectedAdmissionError: 'WorkerLost',
}

/** Failure by the reason of the condition DisruptionTarget. */
const byDisruption: Record<string, PodFailure> = {
  PreemptionByScheduler: 'Evicted',
  EvictionByEvictionAPI: 'Evicted',
  TerminationByKubelet: 'Evicted',
  DeletionByTaintManager: 'WorkerLost',
  DeletionByPodGC: 'WorkerLost',
}

/** Waiting reasons that never resolve without a new pod. */
const hopeless = new Set(['InvalidImageName', 'ErrImageNeverPull'])

const suffix = (words: string | undefined): string => (words ? `: ${words}` : '')

const timeOf = (text: string | undefined): number | undefined => {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}

const conditionOf = ({ status }: SeenPod, type: string) =>
  status?.conditions?.find((condition) => condition.type === type)

const failed = (pod: SeenPod, ended: Terminated | undefined): PodState => {
  const { reason = '', message } = pod.status ?? {}
  const disruption = conditionOf(pod, 'DisruptionTarget')
  const endedAt = timeOf(ended?.finishedAt) ?? timeOf(disruption?.lastTransitionTime)
  const because = (cause: PodFailure, sentence: string): PodState => ({
    kind: 'failed',
    cause,
    message: sentence,
    endedAt,
  })
  // Nodes evict to reclaim their own memory; a container over its limit has the reason OOMKilled instead.
  const node = byNode[reason] ?? (reason.startsWith('OutOf') ? 'WorkerLost' : undefined)
  if (node) return because(node, `The worker's node ended it (${reason})${suffix(message)}`)
  if (disruption?.status === 'True')
    return because(
      byDisruption[disruption.reason ?? ''] ?? 'WorkerLost',
      `The worker was ended (${disruption.reason ?? 'disruption'})${suffix(disruption.message)}`,
    )
  if (ended?.reason === 'OOMKilled') return because('OOMKilled', 'The worker exceeded the memory limit of its pod.')
  if (ended?.exitCode === reportedExitCode) return because('Reported', 'The worker could not do the run.')
  if (!ended || ended.reason === 'ContainerStatusUnknown')
    return because('WorkerLost', `The worker ended, and its exit status is unknown${suffix(message)}`)
  if (ended.exitCode === isDraining) return because('WorkerLost', 'The worker was terminated before it was done.')
  // The last line of its log was written before it was killed, and is not the reason.
  if (ended.exitCode === wasKilled) return because('Crashed', 'The worker was killed (SIGKILL).')
  const words = ended.message?.trim().split('\n').at(-1)
  return because('Crashed', `The worker ended with code ${ended.exitCode}${suffix(words)}`)
}

const waiting = ({ reason = '', message }: Waiting): PodState => {
  if (cannotPull.has(reason))
    return {
      kind: 'unable',
      reason: 'ImagePull',
      isFinal: hopeless.has(reason),
      message: `The worker's image cannot be pulled (${reason})${suffix(message)}`,
    }
  if (cannotStart.has(reason) || reason === 'CrashLoopBackOff')
    return {
      kind: 'unable',
      reason: 'Starting',
      isFinal: false,
      message: `The worker cannot be started (${reason})${suffix(message)}`,
    }
  return { kind: 'starting', message: 'The worker is being started.' }
}

const pending = (pod: SeenPod): PodState => {
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status === 'False') {
    const isGated = scheduled.reason === 'SchedulingGated'
    const words = isGated ? 'Scheduling gate' : 'No node'
    return { kind: 'unscheduled', isGated, message: `${words}${suffix(scheduled.message)}` }
  }
  const held = pod.status?.containerStatuses?.[0]?.state?.waiting
  return held ? waiting(held) : { kind: 'starting', message: 'The worker is being started.' }
}

/** The state of a pod. Workers have one container. A terminal phase takes precedence over a pending deletion. */
export const podStateOf = (pod: SeenPod): PodState => {
  const state = pod.status?.containerStatuses?.[0]?.state
  switch (pod.status?.phase) {
    case 'Succeeded':
      return { kind: 'succeeded', endedAt: timeOf(state?.terminated?.finishedAt) }
    case 'Failed':
      return failed(pod, state?.terminated)
    default:
      if (pod.metadata.deletionTimestamp !== undefined) {
        const why = conditionOf(pod, 'DisruptionTarget')
        return { kind: 'ending', message: `The worker is being ended${suffix(why?.message)}` }
      }
      return pod.status?.phase === 'Running' ? { kind: 'running' } : pending(pod)
  }
}

/** What the reconcile of a run reads of a pod. */
export const runPodView = (pod: Pod) => {
  const { labels, annotations, ownerReferences, deletionTimestamp, creationTimestamp } = pod.metadata
  return [podStateOf(pod), labels, annotations, ownerReferences, deletionTimestamp, creationTimestamp]
}

/** Whether a pod may be working: it counts as the run's worker, and no other may be created besides it. */
export const isLive = (state: PodState): boolean => state.kind !== 'succeeded' && state.kind !== 'failed'
