import { warmPools } from '../crds/mod.ts'
import { type CacheOptions, controllerOf, isBeingDeleted, keyOf, type OwnerReference } from '../runtime/mod.ts'
import { annotation, label, type Pod, type Workload } from '../workers/mod.ts'

/** Names the idle workers of a namespace that can do a workload. */
export const idleKey = (namespace: string, workload: Workload): string => `${namespace}/${workload}`

/** The pool that a pod waits in, while it does. */
export const poolOf = (pod: Pod): OwnerReference | undefined => {
  const controller = controllerOf(pod)
  return controller?.kind === warmPools.kind ? controller : undefined
}

export const isReady = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  (status.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True')

/** Whether a run can take the pod: it waits in a pool, is ready, and nobody has asked for its end. */
export const isClaimable = (pod: Pod): boolean => poolOf(pod) !== undefined && !isBeingDeleted(pod) && isReady(pod)

/**
 * The indexes that the cache of pods needs for pools. `idle`: those that can be claimed, by `idleKey`. `origin`: those
 * that were made for a pool, claimed or not, by its uid.
 */
export const poolIndexes: NonNullable<CacheOptions<Pod>['indexes']> = {
  idle: (pod) => {
    const workload = pod.metadata.labels?.[label.workload]
    return workload !== undefined && isClaimable(pod)
      ? [idleKey(pod.metadata.namespace ?? '', workload as Workload)]
      : []
  },
  origin: ({ metadata }) => {
    const uid = metadata.annotations?.[annotation.poolUid]
    return uid === undefined ? [] : [uid]
  },
}

/** A number that an annotation holds; 0 where it holds none. */
export const numberIn = ({ metadata }: Pod, key: string): number => {
  const value = Number(metadata.annotations?.[key] ?? 0)
  return Number.isSafeInteger(value) ? value : 0
}

export const podKey = ({ metadata }: Pod): string => keyOf(metadata)
