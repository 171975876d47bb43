import type { CapacityResponse } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { gpuClasses, isOffered, ownGpus } from './gpu-classes.ts'
import { gpuToleration, keepOfNode, type NodeObject, nodeResource, type Toleration } from './gpu-nodes.ts'
import { type GpuPod, gpuPodResource, keepOfPod, notEnded } from './gpu-pods.ts'
import { createOptionalCache, type OptionalCache, type ReflectorParts } from './optional-cache.ts'

export type GpuCapacityOptions = ReflectorParts & {
  /** Where pods are looked at while those of the whole cluster are refused to us. */
  namespaces: readonly string[]
  /** Which pods count as ours: the labels that all of them carry. */
  ownLabels: Readonly<Record<string, string>>
  /** What workers tolerate beside the taint of GPUs. */
  tolerations?: readonly Toleration[]
}

/** GPUs as Kubernetes counts them: what nodes have less what pods ask for. */
export type GpuCapacity = {
  /** Watches until the signal; rejects never. */
  run: (signal: AbortSignal) => Promise<void>
  /** What is known now, and why it is not more. */
  read: () => Pick<CapacityResponse, 'classes' | 'reasons'>
  /** Whether some node has so many GPUs of a model; undefined while the nodes are not known. */
  offers: (gpus: { resource: string; product?: string; amount: number }) => boolean | undefined
}

/** All that is true of the pods of one source, of which the first filled one is believed. */
type PodView = { pods: GpuPod[]; reasons: string[] }

/** What refusing us means, to whoever may change it. */
const narrowView =
  'which GPUs are free in the cluster is not known, only what our own pods hold: to know it, nodes and pods of the whole cluster must be readable (gpu.clusterRead=true in the chart)'

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

  let hasSaid = false
  const logOnce = (refusal: string) => {
    if (!hasSaid) parts.log.info({ refusal }, narrowView)
    hasSaid = true
  }

  const readPods = (): PodView => {
    if (everywhere.isFilled()) return { pods: everywhere.store.list(), reasons: [] }
    const pods = nearby.flatMap((cache) => (cache.isFilled() ? cache.store.list() : []))
    const refusal = everywhere.refusal()
    if (refusal === undefined) return { pods, reasons: ['The pods of the cluster have not been read yet.'] }
    const seen = `Only pods in ${namespaces.join(', ')} are counted, so that GPUs which others hold may look free: ${refusal}`
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
          : `The nodes of the cluster are not known, only what our own pods hold: ${refusal}`
      return { classes: ownGpus(pods), reasons: [unknown, ...reasons] }
    },
    offers: (gpus) => (nodes.isFilled() ? isOffered({ nodes: nodes.store.list(), tolerations }, gpus) : undefined),
  }
}
