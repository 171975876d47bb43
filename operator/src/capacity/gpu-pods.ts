import { type KubeObject, type Resource, resource } from '../runtime/mod.ts'
import { type Gpus, gpusIn, mostOf, productLabel, type Quantities, sumOf } from './gpu-resources.ts'

type Container = { resources?: { requests?: Quantities; limits?: Quantities }; restartPolicy?: string }

/** A pod, reduced to the fields read here, plus a derived one. */
export type GpuPod = KubeObject & {
  spec?: {
    nodeName?: string
    nodeSelector?: Readonly<Record<string, string>>
    containers?: readonly Container[]
    initContainers?: readonly Container[]
  }
  status?: { phase?: string }
  /** Its GPU request, derived before caching; the containers are dropped. */
  gpus?: Gpus
}

export const gpuPodResource: Resource<GpuPod> = resource<GpuPod>({
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
})

/** Selects pods that hold their resources, or wait for them. */
export const notEnded = 'status.phase!=Succeeded,status.phase!=Failed'

/** For GPUs the request equals the limit, and the limit alone may be set. */
const requestedBy = ({ resources }: Container): Gpus => gpusIn({ ...resources?.limits, ...resources?.requests })

/**
 * The GPU request of a pod as the scheduler computes it: the maximum of all containers plus sidecars, and of each init
 * container plus the sidecars started before it.
 */
export const gpusRequestedBy = ({ containers = [], initContainers = [] }: NonNullable<GpuPod['spec']>): Gpus => {
  let sidecars: Gpus = {}
  let max: Gpus = {}
  for (const container of initContainers) {
    const requested = requestedBy(container)
    if (container.restartPolicy === 'Always') {
      sidecars = sumOf([sidecars, requested])
      max = mostOf(max, sidecars)
    } else max = mostOf(max, sumOf([sidecars, requested]))
  }
  return mostOf(max, sumOf([sidecars, ...containers.map(requestedBy)]))
}

/**
 * Reduces a pod for the cache: all pods of a cluster are watched for the few with GPUs, so only the identity of the
 * others is retained.
 */
export const reducePod =
  (isOurs: (pod: GpuPod) => boolean) =>
  (pod: GpuPod): GpuPod => {
    const { name, namespace, uid, resourceVersion } = pod.metadata
    const metadata = { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) }
    const gpus = gpusRequestedBy(pod.spec ?? {})
    if (Object.keys(gpus).length === 0) return { metadata }
    const product = pod.spec?.nodeSelector?.[productLabel]
    return {
      metadata: isOurs(pod) ? { ...metadata, labels: { [oursLabel]: 'true' } } : metadata,
      spec: {
        ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
        ...(product ? { nodeSelector: { [productLabel]: product } } : {}),
      },
      status: { phase: pod.status?.phase ?? 'Pending' },
      gpus,
    }
  }

/** Label, in the cache only, that marks our own pods. */
const oursLabel = 'ours'

export const isOurs = ({ metadata }: GpuPod): boolean => metadata.labels?.[oursLabel] === 'true'

export const hasEnded = ({ status }: GpuPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
