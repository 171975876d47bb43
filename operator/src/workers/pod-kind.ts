import { type CacheOptions, type KubeObject, resource, withoutManagedFields } from '../runtime/mod.ts'
import { label } from './labels.ts'
import type { PodSpec } from './pod-spec.ts'

/** Status of a container, reduced to the fields used here. */
export type ContainerStatus = {
  name: string
  ready: boolean
  restartCount: number
  state?: ContainerState
  lastState?: ContainerState
}

export type ContainerState = {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: { exitCode: number; signal?: number; reason?: string; message?: string; finishedAt?: string }
}

export type PodCondition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
}

/** A pod; in a cache, only the fields that `podCache` retains. */
export type Pod = KubeObject & {
  spec?: Partial<PodSpec>
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    /** `Evicted`, `NodeLost` and the like, if the pod itself failed instead of a container. */
    reason?: string
    message?: string
    conditions?: readonly PodCondition[]
    initContainerStatuses?: readonly ContainerStatus[]
    containerStatuses?: readonly ContainerStatus[]
  }
}

export const pods = resource<Pod>({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true })

const stateOf = ({ waiting, running, terminated }: ContainerState): ContainerState => ({
  ...(waiting ? { waiting } : {}),
  ...(running ? { running } : {}),
  ...(terminated ? { terminated } : {}),
})

const containerOf = ({ name, ready, restartCount, state, lastState }: ContainerStatus): ContainerStatus => ({
  name,
  ready,
  restartCount,
  ...(state ? { state: stateOf(state) } : {}),
  ...(lastState ? { lastState: stateOf(lastState) } : {}),
})

/** The conditions that decide something. A running pod has five, each with times that differ from pod to pod. */
const usedConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'DisruptionTarget'])

/** Reduces a pod for the cache: identity, owners, node and status. A cached pod is about a quarter of a whole one. */
export const reducePod = (pod: Pod): Pod => {
  const { apiVersion, kind, metadata, spec, status } = withoutManagedFields(pod)
  const { phase, reason, message, conditions, initContainerStatuses, containerStatuses } = status ?? {}
  return {
    ...(apiVersion ? { apiVersion } : {}),
    ...(kind ? { kind } : {}),
    metadata,
    spec: {
      ...(spec?.nodeName ? { nodeName: spec.nodeName } : {}),
      ...(spec?.schedulingGates ? { schedulingGates: spec.schedulingGates } : {}),
    },
    status: {
      ...(phase ? { phase } : {}),
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
      ...(conditions ? { conditions: conditions.filter(({ type }) => usedConditions.has(type)) } : {}),
      ...(initContainerStatuses ? { initContainerStatuses: initContainerStatuses.map(containerOf) } : {}),
      ...(containerStatuses ? { containerStatuses: containerStatuses.map(containerOf) } : {}),
    },
  }
}

/** Label selector of the pods of one installation's operator. */
export const podSelector = (instance: string): string =>
  `${label.partOf}=trellis,${label.managedBy}=trellis-operator,${label.instance}=${instance}`

/**
 * Cache options of pods, declared once for all controllers: `manager.cache(pods, podCache({ instance }))`, with the
 * indexes that the controllers add. `by('owner', uid)` returns the pods of a run or a pool.
 */
export const podCache = ({
  instance,
  namespace,
  indexes,
}: {
  instance: string
  namespace?: string
  indexes?: CacheOptions<Pod>['indexes']
}): CacheOptions<Pod> => ({
  selection: { labelSelector: podSelector(instance), ...(namespace === undefined ? {} : { namespace }) },
  transform: reducePod,
  // The chart's gpu.clusterRead grants reading the pods of all namespaces.
  isGrantedClusterWide: true,
  ...(indexes ? { indexes } : {}),
})
