import { type KubeObject, type Resource, resource } from '../runtime/mod.ts'
import { type Gpus, gpusIn, mostOf, productLabel, type Quantities, sumOf } from './gpu-resources.ts'

type Container = { resources?: { requests?: Quantities; limits?: Quantities }; restartPolicy?: string }

/** As much of a pod as is read here, and what is made of it. */
export type GpuPod = KubeObject & {
  spec?: {
    nodeName?: string
    nodeSelector?: Readonly<Record<string, string>>
    containers?: readonly Container[]
    initContainers?: readonly Container[]
  }
  status?: { phase?: string }
  /** What it asks for, worked out when it is taken into the cache; the containers are not kept. */
  gpus?: Gpus
}

export const gpuPodResource: Resource<GpuPod> = resource<GpuPod>({
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
})

/** Pods that hold what they asked for, or wait for it. */
export const notEnded = 'status.phase!=Succeeded,status.phase!=Failed'

/** Of GPUs the request is the limit, and may be given as that alone. */
const requestedBy = ({ resources }: Container): Gpus => gpusIn({ ...resources?.limits, ...resources?.requests })

/**
 * What a pod needs at once, as the scheduler counts: all containers with the sidecars, or one of the init containers with
 * the sidecars that were started before it, whichever is more.
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
 * A pod as it is cached: all the pods of a cluster are watched for the few that have GPUs, so of the others nothing is kept
 * but what names them.
 */
export const keepOfPod =
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

/** Stands, in the cache only, for whatever makes a pod ours. */
const oursLabel = 'ours'

export const isOurs = ({ metadata }: GpuPod): boolean => metadata.labels?.[oursLabel] === 'true'

export const hasEnded = ({ status }: GpuPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
