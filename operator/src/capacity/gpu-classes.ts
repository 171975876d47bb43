import type { GpuClass } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { gpusOf, memoryOf, type NodeObject, productOf, type Toleration, whyClosed } from './gpu-nodes.ts'
import { type GpuPod, hasEnded, isOurs } from './gpu-pods.ts'
import { productLabel } from './gpu-resources.ts'

export type Observed = {
  nodes: readonly NodeObject[]
  pods: readonly GpuPod[]
  /** Tolerations of the pods that should get GPUs. */
  tolerations: readonly Toleration[]
}

/** GPUs by class, and sentences about what is not counted. */
export type GpuCount = { classes: GpuClass[]; reasons: string[] }

/** Maximum number of nodes named in a sentence. */
const namedNodes = 5

const keyOf = (product: string, resource: string): string => JSON.stringify([product, resource])

/** Returns the class of a product and resource, creating it with zero counts. */
const classOf = (classes: Map<string, GpuClass>, product: string, resource: string): GpuClass => {
  const key = keyOf(product, resource)
  const held = classes.get(key)
  if (held) return held
  const made = { product, memoryMib: null, resource, total: 0, free: 0, usedByUs: 0, usedByOthers: 0 }
  classes.set(key, made)
  return made
}

/**
 * Counts a node's GPUs and those that its pods hold. More may be held than exist while a device is found to be broken.
 */
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

/**
 * Subtracts the requests of waiting pods from the free GPUs: of the model they name, otherwise of the models with the
 * most free.
 */
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
 * Counts the total, held and free GPUs of each class (model and resource name). Nodes that take no pods are excluded.
 * Pods hold what they request until they end; requests of pods that wait for a node are not free. Only requests are
 * counted: whether a GPU is busy, or used outside Kubernetes, is not visible.
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
    ...(desired > 0 ? [`Pods that wait for a node request ${desired} GPUs, which are not counted as free.`] : []),
  ]
  const ordered = [...classes.values()].sort(
    (a, b) => a.product.localeCompare(b.product, 'en') || a.resource.localeCompare(b.resource, 'en'),
  )
  return { classes: ordered, reasons }
}

/** Counts the GPUs of our own pods, of any model, for when the nodes are unknown. */
export const ownGpus = (pods: readonly GpuPod[]): GpuClass[] => {
  const classes = new Map<string, GpuClass>()
  for (const pod of pods.filter((pod) => isOurs(pod) && !hasEnded(pod) && pod.spec?.nodeName))
    for (const [resource, amount] of Object.entries(pod.gpus ?? {}))
      classOf(classes, pod.spec?.nodeSelector?.[productLabel] ?? '', resource).usedByUs += amount
  return [...classes.values()]
}

/** Whether a node that takes pods has as many GPUs of a model (any if none is named) as requested, held or not. */
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
