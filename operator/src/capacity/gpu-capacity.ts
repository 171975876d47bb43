import { addAbortListener } from '@trellis/kit/lifecycle'
import type { CapacityResponse } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { gpuClasses, isOffered, ownGpus } from './gpu-classes.ts'
import { gpusOf, gpuToleration, type NodeObject, nodeResource, reduceNode, type Toleration } from './gpu-nodes.ts'
import { type GpuPod, gpuPodResource, notEnded, reducePod } from './gpu-pods.ts'
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
  const transform = reducePod(({ metadata }) =>
    Object.entries(ownLabels).every(([name, value]) => metadata.labels?.[name] === value),
  )
  const nodes = createOptionalCache<NodeObject>(parts, {
    name: 'capacity-nodes',
    resource: nodeResource,
    transform: reduceNode,
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

  const hasGpus = (node: NodeObject) => Object.keys(gpusOf(node)).length > 0
  /** Pods are read only once a node has GPUs, or nodes are unknown: a cluster without GPUs may have very many pods. */
  let arePodsNeeded = false
  const needed = Promise.withResolvers<void>()
  const needPods = () => {
    arePodsNeeded = true
    needed.resolve()
  }
  nodes.store.onChange(({ object }) => {
    if (hasGpus(object)) needPods()
  })

  let hasLogged = false
  const logOnce = (refusal: string) => {
    if (!hasLogged) parts.log.info({ refusal }, narrowView)
    hasLogged = true
  }

  const readPods = (): PodView => {
    if (!arePodsNeeded && nodes.isFilled()) return { pods: [], reasons: [] }
    if (everywhere.isFilled()) return { pods: everywhere.store.list(), reasons: [] }
    const pods = nearby.flatMap((cache) => (cache.isFilled() ? cache.store.list() : []))
    const refusal = everywhere.refusal()
    if (refusal === undefined) return { pods, reasons: ['The pods of the cluster have not been read yet.'] }
    const seen = `Only pods in ${namespaces.join(', ')} are counted, so GPUs that others hold may look free: ${refusal}`
    return { pods, reasons: [seen] }
  }

  return {
    run: async (signal) => {
      const watching: Promise<void>[] = [
        nodes.run(signal, (refusal) => {
          logOnce(refusal)
          needPods()
        }),
      ]
      const lookNearby = (refusal: string) => {
        logOnce(refusal)
        if (nearby.length > 0) return
        nearby = namespaces.map((namespace) => podsIn(`capacity-pods-${namespace}`, namespace))
        watching.push(...nearby.map((cache) => cache.run(signal)))
      }
      const unlink = addAbortListener(signal, needed.resolve)
      await needed.promise
      unlink()
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
