import { type CacheOptions, type KubeObject, resource, withoutManagedFields } from '../runtime/mod.ts'
import { label } from './labels.ts'
import type { PodSpec } from './pod-spec.ts'

/** How one of a pod's containers is, as far as anybody here asks. */
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

/** A pod; in a cache only what `podCache` keeps of it. */
export type Pod = KubeObject & {
  spec?: Partial<PodSpec>
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    /** `Evicted`, `NodeLost` and the like, where not a container but the pod ended. */
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

/** What is kept of a pod: who it is, whose it is, where it runs and how it fares. A stored pod is about a quarter of a whole one. */
export const keepOfPod = (pod: Pod): Pod => {
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
      ...(conditions ? { conditions } : {}),
      ...(initContainerStatuses ? { initContainerStatuses: initContainerStatuses.map(containerOf) } : {}),
      ...(containerStatuses ? { containerStatuses: containerStatuses.map(containerOf) } : {}),
    },
  }
}

/** The labels that the operator's pods, and no others of the cluster, have: those of one installation. */
export const podSelector = (instance: string): string =>
  `${label.partOf}=trellis,${label.managedBy}=trellis-operator,${label.instance}=${instance}`

/**
 * How the cache of pods is declared, once for all controllers: `manager.cache(pods, podCache({ instance }))`, with the
 * indexes that the controllers add. `by('owner', uid)` gives the pods of a run or a pool.
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
  transform: keepOfPod,
  ...(indexes ? { indexes } : {}),
})
