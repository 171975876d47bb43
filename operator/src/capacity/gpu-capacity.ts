import type { CapacityResponse } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { gpuClasses, isOffered, ownGpus } from './gpu-classes.ts'
import { gpuToleration, keepOfNode, type NodeObject, nodeResource, type Toleration } from './gpu-nodes.ts'
import { type GpuPod, gpuPodResource, keepOfPod, notEnded } from './gpu-pods.ts'
import { createOptionalCache, type OptionalCache, type ReflectorParts } from './optional-cache.ts'

export type GpuCapacityOptions = ReflectorParts & {
  /** Namespaces whose pods are counted while cluster-wide access is denied. */
  namespaces: readonly string[]
  /** Labels that all of our pods carry. */
  ownLabels: Readonly<Record<string, string>>
  /** Further tolerations of workers besides that of the GPU taint. */
  tolerations?: readonly Toleration[]
}

/** GPUs as Kubernetes counts them: allocatable on nodes, minus the requests of pods. */
export type GpuCapacity = {
  /** Watches until the signal; never rejects. */
  run: (signal: AbortSignal) => Promise<void>
  /** The current counts, and the reasons why they are incomplete. */
  read: () => Pick<CapacityResponse, 'classes' | 'reasons'>
  /** Whether a node has this many GPUs of a model; undefined while the nodes are unknown. */
  offers: (gpus: { resource: string; product?: string; amount: number }) => boolean | undefined
}

/** The pods of one source; the first source that has synced is used. */
type PodView = { pods: GpuPod[]; reasons: string[] }

/** Log message about denied access, for the administrator. */
const narrowView =
  'free GPUs of the cluster are unknown, only those of our own pods are counted: allow reading nodes and pods of the cluster (gpu.clusterRead=true in the chart)'

export const createGpuCapacity = (options: GpuCapacityOptions): GpuCapacity => {
  const { namespaces, ownLabels, ...parts } = options
  const tolerations = [gpuToleration, ...(options.tolerations ?? [])]
  const transform = keepOfPod(({ metadata }) =>
    Object.entries(ownLabels).every(([name, value]) => metadata.labels?.[name] === value),
  )
  const nodes = createOptionalCache<NodeObject>(parts, {
    name: 'capacity-nodes',
    resource: nodeResource,
    transform: keepOfNode,
  })
  const podsIn = (name: string, namespace?: string): OptionalCache<GpuPod> =>
    createOptionalCache<GpuPod>(parts, {
      name,
      resource: gpuPodResource,
      transform,
      selection: { fieldSelector: notEnded, ...(namespace === undefined ? {} : { namespace }) },
    })
  const everywhere = podsIn('capacity-pods')
  let nearby: OptionalCache<GpuPod>[] = []

  let hasLogged = false
  const logOnce = (refusal: string) => {
    if (!hasLogged) parts.log.info({ refusal }, narrowView)
    hasLogged = true
  }

  const readPods = (): PodView => {
    if (everywhere.isFilled()) return { pods: everywhere.store.list(), reasons: [] }
    const pods = nearby.flatMap((cache) => (cache.isFilled() ? cache.store.list() : []))
    const refusal = everywhere.refusal()
    if (refusal === undefined) return { pods, reasons: ['The pods of the cluster have not been read yet.'] }
    const seen = `Only pods in ${namespaces.join(', ')} are counted, so GPUs that others hold may look free: ${refusal}`
    return { pods, reasons: [seen] }
  }

  return {
    run: async (signal) => {
      const watching: Promise<void>[] = [nodes.run(signal, logOnce)]
      const lookNearby = (refusal: string) => {
        logOnce(refusal)
        if (nearby.length > 0) return
        nearby = namespaces.map((namespace) => podsIn(`capacity-pods-${namespace}`, namespace))
        watching.push(...nearby.map((cache) => cache.run(signal)))
      }
      await everywhere.run(signal, lookNearby)
      await Promise.all(watching)
    },
    read: () => {
      const { pods, reasons } = readPods()
      if (nodes.isFilled()) {
        const counted = gpuClasses({ nodes: nodes.store.list(), pods, tolerations })
        return { classes: counted.classes, reasons: [...counted.reasons, ...reasons] }
      }
      const refusal = nodes.refusal()
      const unknown =
        refusal === undefined
          ? 'The nodes of the cluster have not been read yet.'
          : `The nodes of the cluster are unknown, only GPUs of our own pods are counted: ${refusal}`
      return { classes: ownGpus(pods), reasons: [unknown, ...reasons] }
    },
    offers: (gpus) => (nodes.isFilled() ? isOffered({ nodes: nodes.store.list(), tolerations }, gpus) : undefined),
  }
}
