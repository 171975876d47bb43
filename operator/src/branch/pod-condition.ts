import { type ContainerStatus, cannotPull, cannotStart, type Pod, sentence } from '../workers/mod.ts'

/** The condition of a Branch's pod, with a message if there is a problem. */
export type PodCondition =
  | { kind: 'none' }
  /** With the scheduler's message. */
  | { kind: 'unschedulable'; message: string }
  /** With the kubelet's message. */
  | { kind: 'cannotPull'; message: string }
  | { kind: 'cannotStart'; message: string }
  /** It exits after every start. */
  | { kind: 'crashing'; message: string }
  /** `lastExit` describes the last exit of a process that has been restarted. */
  | { kind: 'starting'; message: string; lastExit?: string }
  | { kind: 'ending' }
  | { kind: 'ready' }

const conditionIs = ({ status }: Pod, type: string, value: 'True' | 'False') =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === value)

/** Describes how a container last exited. */
const lastExit = ({ lastState, restartCount }: ContainerStatus): string => {
  const restarted = `The process was restarted ${restartCount === 1 ? 'once' : `${restartCount} times`}`
  const ended = lastState?.terminated
  if (!ended) return `${restarted}.`
  const why = ended.reason === 'OOMKilled' ? 'it used more memory than its limit' : `exit code ${ended.exitCode}`
  const last = ended.message?.trim().split('\n').at(-1)
  return sentence(`${restarted}, last after ${why}${last ? `: ${last}` : ''}`)
}

const waitingCondition = (container: ContainerStatus): PodCondition | undefined => {
  const { reason = '', message } = container.state?.waiting ?? {}
  const words = sentence(message ? `${reason}: ${message}` : reason)
  if (cannotPull.has(reason)) return { kind: 'cannotPull', message: words }
  if (cannotStart.has(reason)) return { kind: 'cannotStart', message: words }
  if (reason === 'CrashLoopBackOff') return { kind: 'crashing', message: lastExit(container) }
  return undefined
}

/** Derives the condition of a pod whose container is restarted in place. */
export const podConditionOf = (pod: Pod | undefined): PodCondition => {
  if (!pod) return { kind: 'none' }
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'ending' }
  if (conditionIs(pod, 'Ready', 'True')) return { kind: 'ready' }
  const unscheduled = conditionIs(pod, 'PodScheduled', 'False')
  if (unscheduled)
    return { kind: 'unschedulable', message: sentence(unscheduled.message ?? 'No node takes the pod so far') }
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  const waiting = statuses.map(waitingCondition).find((condition) => condition !== undefined)
  if (waiting) return waiting
  const isRunning = statuses.some(({ state }) => state?.running !== undefined)
  const restarted = statuses.find(({ restartCount }) => restartCount > 0)
  return {
    kind: 'starting',
    message: isRunning ? 'Its process runs and is not ready yet.' : 'Its pod is being started.',
    ...(restarted ? { lastExit: lastExit(restarted) } : {}),
  }
}
