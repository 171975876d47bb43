import { type PodState, podStateOf } from '../runs/mod.ts'
import { isBeingDeleted } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { isReady, numberIn } from './idle-pods.ts'

/** A pod that a pool controls, as planning sees it. */
export type Member = {
  pod: Pod
  state: PodState
  /**
   * `ready`: can be claimed. `starting`: will be, or cannot start. `held`: waits for a node, for as long as it takes.
   * `ending`: somebody has asked for its end, and it may still live. `dead`: it has ended. `leaving`: it has, and is being removed.
   */
  kind: 'ready' | 'starting' | 'held' | 'ending' | 'dead' | 'leaving'
  isOutdated: boolean
  /** Something is about to be done to it: a claim, or its deletion. */
  isReserved: boolean
  /** How many workers in a row had failed before it. */
  attempt: number
  /** Milliseconds since 1970. */
  createdAt: number
  endedAt: number
}

/** A worker that has waited for so many milliseconds has not failed to start. */
const provenAfter = 600_000

const kindOf = (pod: Pod, state: PodState): Member['kind'] => {
  if (state.kind === 'succeeded' || state.kind === 'failed') return isBeingDeleted(pod) ? 'leaving' : 'dead'
  if (isBeingDeleted(pod)) return 'ending'
  if (state.kind === 'unscheduled') return 'held'
  return isReady(pod) ? 'ready' : 'starting'
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '') || 0

/** How a pod of a pool stands, for a template of this hash. */
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

/** Whether the pod may be at work: such count against what the pool is asked for, also while they end. */
export const isLiveMember = ({ kind }: Member): boolean => kind !== 'dead' && kind !== 'leaving'
