import { warmPools } from '../crds/mod.ts'
import { type CacheOptions, controllerOf, isBeingDeleted, keyOf, type OwnerReference } from '../runtime/mod.ts'
import { annotation, label, type Pod, type Workload } from '../workers/mod.ts'

/** Index key of the idle workers of a namespace for a workload. */
export const idleKey = (namespace: string, workload: Workload): string => `${namespace}/${workload}`

/** The pool that controls a pod, while it is unclaimed. */
export const poolOf = (pod: Pod): OwnerReference | undefined => {
  const controller = controllerOf(pod)
  return controller?.kind === warmPools.kind ? controller : undefined
}

export const isReady = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  (status.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True')

/** Whether a run can claim the pod: a pool controls it, it is ready, and it is not being deleted. */
export const isClaimable = (pod: Pod): boolean => poolOf(pod) !== undefined && !isBeingDeleted(pod) && isReady(pod)

/**
 * The indexes that the cache of pods needs for pools. `idle`: claimable pods, by `idleKey`. `origin`: pods created for
 * a pool, claimed or not, by the pool's uid.
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

/** The number in an annotation; 0 if there is none. */
export const numberIn = ({ metadata }: Pod, key: string): number => {
  const value = Number(metadata.annotations?.[key] ?? 0)
  return Number.isSafeInteger(value) ? value : 0
}

export const podKey = ({ metadata }: Pod): string => keyOf(metadata)
