import type { GpuClass } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { gpusOf, memoryOf, type NodeObject, productOf, type Toleration, whyClosed } from './gpu-nodes.ts'
import { type GpuPod, hasEnded, isOurs } from './gpu-pods.ts'
import { productLabel } from './gpu-resources.ts'

export type Observed = {
  nodes: readonly NodeObject[]
  pods: readonly GpuPod[]
  /** Of the pods that are to have GPUs. */
  tolerations: readonly Toleration[]
}

/** GPUs by class, and what is to be said of them, in sentences. */
export type GpuCount = { classes: GpuClass[]; reasons: string[] }

/** At most so many nodes are named in a sentence. */
const namedNodes = 5

const keyOf = (product: string, resource: string): string => JSON.stringify([product, resource])

/** The class of what a node has under a name, with nothing counted yet where it is new. */
const classOf = (classes: Map<string, GpuClass>, product: string, resource: string): GpuClass => {
  const key = keyOf(product, resource)
  const held = classes.get(key)
  if (held) return held
  const made = { product, memoryMib: null, resource, total: 0, free: 0, usedByUs: 0, usedByOthers: 0 }
  classes.set(key, made)
  return made
}

/** Counts what a node gives and what its pods hold. More may be held than there is, while a device is found to be broken. */
const countNode = (classes: Map<string, GpuClass>, node: NodeObject, pods: readonly GpuPod[]) => {
  for (const [resource, allocatable] of Object.entries(gpusOf(node))) {
    const counted = classOf(classes, productOf(node), resource)
    const held = (ours: boolean) =>
      pods.filter((pod) => isOurs(pod) === ours).reduce((sum, pod) => sum + (pod.gpus?.[resource] ?? 0), 0)
    const [byUs, byOthers] = [held(true), held(false)]
    const memory = memoryOf(node)
    counted.total += allocatable
    counted.usedByUs += byUs
    counted.usedByOthers += byOthers
    counted.free += Math.max(0, allocatable - byUs - byOthers)
    if (memory !== undefined) counted.memoryMib = Math.min(memory, counted.memoryMib ?? memory)
  }
}

/** Takes what waiting pods want from what is free: of the model that they name, else of those of which most is free. */
const setAside = (classes: Map<string, GpuClass>, waiting: readonly GpuPod[]): number => {
  let desired = 0
  for (const { gpus = {}, spec } of waiting) {
    const product = spec?.nodeSelector?.[productLabel]
    for (const [resource, amount] of Object.entries(gpus)) {
      const fitting = [...classes.values()]
        .filter((one) => one.resource === resource && (product === undefined || one.product === product))
        .sort((a, b) => b.free - a.free)
      if (fitting.length === 0) continue
      desired += amount
      let rest = amount
      for (const one of fitting) {
        const taken = Math.min(one.free, rest)
        one.free -= taken
        rest -= taken
      }
    }
  }
  return desired
}

const closedSentence = (closed: readonly { node: NodeObject; why: string }[]): string => {
  const named = closed.slice(0, namedNodes).map(({ node, why }) => `${node.metadata.name} ${why}`)
  const more = closed.length > namedNodes ? ` and ${closed.length - namedNodes} more` : ''
  return `Nodes with GPUs that take no pods are not counted: ${named.join(', ')}${more}.`
}

/**
 * How many GPUs of each class (model and name of the resource) there are, are held and are free. Nodes that take no pods
 * count for nothing. Pods hold what they ask for until they have ended; what those want that wait for a node is not free.
 * What it counts is requests: whether a GPU is busy, and what is done past Kubernetes, is not seen.
 */
export const gpuClasses = ({ nodes, pods, tolerations }: Observed): GpuCount => {
  const live = pods.filter((pod) => pod.gpus && !hasEnded(pod))
  const byNode = Map.groupBy(live, ({ spec }) => spec?.nodeName ?? '')
  const withGpus = nodes.filter((node) => Object.keys(gpusOf(node)).length > 0)
  const classes = new Map<string, GpuClass>()
  const closed: { node: NodeObject; why: string }[] = []
  for (const node of withGpus) {
    const why = whyClosed(node, tolerations)
    if (why === undefined) countNode(classes, node, byNode.get(node.metadata.name) ?? [])
    else closed.push({ node, why })
  }
  const desired = setAside(classes, byNode.get('') ?? [])
  const reasons = [
    ...(withGpus.length === 0 ? ['No node of the cluster has a GPU.'] : []),
    ...(closed.length > 0 ? [closedSentence(closed)] : []),
    ...(desired > 0 ? [`Pods that wait for a node ask for ${desired} GPUs, which are not counted as free.`] : []),
  ]
  const ordered = [...classes.values()].sort(
    (a, b) => a.product.localeCompare(b.product, 'en') || a.resource.localeCompare(b.resource, 'en'),
  )
  return { classes: ordered, reasons }
}

/** What is known where the nodes are not: what our own pods hold, of whatever model. */
export const ownGpus = (pods: readonly GpuPod[]): GpuClass[] => {
  const classes = new Map<string, GpuClass>()
  for (const pod of pods.filter((pod) => isOurs(pod) && !hasEnded(pod) && pod.spec?.nodeName))
    for (const [resource, amount] of Object.entries(pod.gpus ?? {}))
      classOf(classes, pod.spec?.nodeSelector?.[productLabel] ?? '', resource).usedByUs += amount
  return [...classes.values()]
}

/** Whether some node that takes pods has as many GPUs of a model (any, where none is named) as a pod asks for, held or not. */
export const isOffered = (
  { nodes, tolerations }: Pick<Observed, 'nodes' | 'tolerations'>,
  { resource, product, amount }: { resource: string; product?: string; amount: number },
): boolean =>
  nodes.some(
    (node) =>
      whyClosed(node, tolerations) === undefined &&
      (product === undefined || productOf(node) === product) &&
      (gpusOf(node)[resource] ?? 0) >= amount,
  )
