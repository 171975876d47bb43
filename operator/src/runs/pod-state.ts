import { type ContainerState, cannotPull, cannotStart, type Pod } from '../workers/mod.ts'

type Waiting = NonNullable<ContainerState['waiting']>
type Terminated = NonNullable<ContainerState['terminated']>

/** What is read of a pod to know how it is. */
export type SeenPod = Pick<Pod, 'metadata' | 'status'>

/** How a pod that is to do a run once is. Sentences say it to people. */
export type PodState =
  /** No node has taken it yet; `isGated` where somebody holds it back on purpose. It may come to it any time. */
  | { kind: 'unscheduled'; isGated: boolean; message: string }
  /** It has a node, and is pulled or started. */
  | { kind: 'starting'; message: string }
  /** It cannot be started as it is now; `isFinal` where waiting cannot help. */
  | { kind: 'unable'; reason: 'ImagePull' | 'Starting'; isFinal: boolean; message: string }
  | { kind: 'running' }
  /** It is being ended and may still be at work. */
  | { kind: 'ending'; message: string }
  /** It ended with code 0. */
  | { kind: 'succeeded'; endedAt: number | undefined }
  /** It ended otherwise; `endedAt` is in milliseconds since 1970. */
  | { kind: 'failed'; cause: PodFailure; message: string; endedAt: number | undefined }

/**
 * Why a pod failed. `OOMKilled`: it took more memory than it may. `Evicted` and `WorkerLost`: it was ended, or its node
 * was lost, whatever it did. `Reported`: it said itself that it cannot do the run, and why over the bus. `Crashed`: a fault of ours.
 */
export type PodFailure = 'OOMKilled' | 'Evicted' | 'WorkerLost' | 'Reported' | 'Crashed'

/** A worker that could not do what it was asked to, and has said why, ends with this code. */
export const reportedExitCode = 10

/** Whether a failure has nothing to do with the run, which another worker may do. */
export const isLoss = (cause: PodFailure): boolean =>
  cause === 'Evicted' || cause === 'WorkerLost' || cause === 'Crashed'

/** Killed by SIGTERM: told to end, as whoever deletes a pod does. */
const isDraining = 128 + 15

/** The pod's reason where its node ended it, by who did. */
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

/** The reason of the condition DisruptionTarget, by who ended the pod. */
const byDisruption: Record<string, PodFailure> = {
  PreemptionByScheduler: 'Evicted',
  EvictionByEvictionAPI: 'Evicted',
  TerminationByKubelet: 'Evicted',
  DeletionByTaintManager: 'WorkerLost',
  DeletionByPodGC: 'WorkerLost',
}

/** Reasons for which a container waits and will wait for ever, unless its pod is made anew. */
const hopeless = new Set(['InvalidImageName', 'ErrImageNeverPull'])

const said = (words: string | undefined): string => (words ? `: ${words}` : '')

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
  // The node evicts for its own memory; the container's limit is another matter, and says OOMKilled.
  const node = byNode[reason] ?? (reason.startsWith('OutOf') ? 'WorkerLost' : undefined)
  if (node) return because(node, `The worker's node ended it (${reason})${said(message)}`)
  if (disruption?.status === 'True')
    return because(
      byDisruption[disruption.reason ?? ''] ?? 'WorkerLost',
      `The worker was ended (${disruption.reason ?? 'disruption'})${said(disruption.message)}`,
    )
  if (ended?.reason === 'OOMKilled') return because('OOMKilled', 'The worker took more memory than its pod may.')
  if (ended?.exitCode === reportedExitCode) return because('Reported', 'The worker could not do what it was asked to.')
  if (!ended || ended.reason === 'ContainerStatusUnknown')
    return because('WorkerLost', `The worker ended, and nobody knows how${said(message)}`)
  if (ended.exitCode === isDraining) return because('WorkerLost', 'The worker was told to end before it was done.')
  const words = ended.message?.trim().split('\n').at(-1)
  return because('Crashed', `The worker ended with code ${ended.exitCode}${said(words)}`)
}

const waiting = ({ reason = '', message }: Waiting): PodState => {
  if (cannotPull.has(reason))
    return {
      kind: 'unable',
      reason: 'ImagePull',
      isFinal: hopeless.has(reason),
      message: `The worker's image cannot be pulled (${reason})${said(message)}`,
    }
  if (cannotStart.has(reason) || reason === 'CrashLoopBackOff')
    return {
      kind: 'unable',
      reason: 'Starting',
      isFinal: false,
      message: `The worker cannot be started (${reason})${said(message)}`,
    }
  return { kind: 'starting', message: 'The worker is being started.' }
}

const pending = (pod: SeenPod): PodState => {
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status === 'False') {
    const isGated = scheduled.reason === 'SchedulingGated'
    const words = isGated ? 'Scheduling gate' : 'No node'
    return { kind: 'unscheduled', isGated, message: `${words}${said(scheduled.message)}` }
  }
  const held = pod.status?.containerStatuses?.[0]?.state?.waiting
  return held ? waiting(held) : { kind: 'starting', message: 'The worker is being started.' }
}

/** How a pod is. Workers have one container. What the pod's end looked like counts for more than that it is being deleted. */
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
        return { kind: 'ending', message: `The worker is being ended${said(why?.message)}` }
      }
      return pod.status?.phase === 'Running' ? { kind: 'running' } : pending(pod)
  }
}

/** Whether a pod may be at work: it counts as the run's worker, and no other may be made beside it. */
export const isLive = (state: PodState): boolean => state.kind !== 'succeeded' && state.kind !== 'failed'
