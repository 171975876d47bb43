import { type PodState, podStateOf } from '../runs/mod.ts'
import { isBeingDeleted } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { isReady, numberIn } from './idle-pods.ts'

/** A pod that a pool controls, as input of planning. */
export type Member = {
  pod: Pod
  state: PodState
  /**
   * `ready`: can be claimed. `starting`: will be ready, or cannot start. `held`: waits for a node, without limit.
   * `ending`: is being deleted, and may still live. `dead`: has ended. `leaving`: has ended, and is being removed.
   */
  kind: 'ready' | 'starting' | 'held' | 'ending' | 'dead' | 'leaving'
  isOutdated: boolean
  /** A claim or a deletion of it is in progress. */
  isReserved: boolean
  /** Number of consecutive failures before it. */
  attempt: number
  /** Milliseconds since 1970. */
  createdAt: number
  endedAt: number
}

/** A worker that lived this long, in milliseconds, did not fail to start. */
const provenAfter = 600_000

const kindOf = (pod: Pod, state: PodState): Member['kind'] => {
  if (state.kind === 'succeeded' || state.kind === 'failed') return isBeingDeleted(pod) ? 'leaving' : 'dead'
  if (isBeingDeleted(pod)) return 'ending'
  if (state.kind === 'unscheduled') return 'held'
  return isReady(pod) ? 'ready' : 'starting'
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '') || 0

/** Classifies a pod of a pool against the current template hash. */
export const memberOf = (pod: Pod, { hash, isReserved }: { hash: string; isReserved: boolean }): Member => {
  const state = podStateOf(pod)
  const createdAt = timeOf(pod.metadata.creationTimestamp)
  const endedAt = 'endedAt' in state && state.endedAt !== undefined ? state.endedAt : createdAt
  return {
    pod,
    state,
    kind: kindOf(pod, state),
    isOutdated: pod.metadata.labels?.[label.templateHash] !== hash,
    isReserved,
    attempt: endedAt - createdAt > provenAfter ? 0 : numberIn(pod, annotation.attempt),
    createdAt,
    endedAt,
  }
}

/** Whether the pod may be working: such pods count towards the desired replicas, also while they end. */
export const isLiveMember = ({ kind }: Member): boolean => kind !== 'dead' && kind !== 'leaving'
