import { type KubeObject, type Resource, resource } from '../runtime/mod.ts'
import { type Gpus, gpusIn, memoryLabel, productLabel, type Quantities } from './gpu-resources.ts'

export type Taint = { key: string; value?: string; effect: string }

export type Toleration = { key?: string; operator?: string; value?: string; effect?: string }

/** A node, reduced to the fields read here. */
export type NodeObject = KubeObject & {
  spec?: { unschedulable?: boolean; taints?: readonly Taint[] }
  status?: { allocatable?: Quantities; conditions?: readonly { type: string; status: string }[] }
}

export const nodeResource: Resource<NodeObject> = resource<NodeObject>({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
})

const pick = (labels: Readonly<Record<string, string>> = {}, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)))

/** Reduces a node to what is read: its images, addresses and most labels are by far the larger part. */
export const reduceNode = ({ metadata, spec, status }: NodeObject): NodeObject => ({
  metadata: {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    labels: pick(metadata.labels, [productLabel, memoryLabel]),
  },
  spec: { unschedulable: spec?.unschedulable === true, taints: spec?.taints ?? [] },
  status: {
    allocatable: gpusIn(status?.allocatable),
    conditions: (status?.conditions ?? [])
      .filter(({ type }) => type === 'Ready')
      .map(({ type, status }) => ({ type, status })),
  },
})

/** Toleration of every worker with a GPU: GPU nodes often carry this taint. */
export const gpuToleration: Toleration = { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }

/** Whether a toleration matches a taint, as in the scheduler. */
const matches = ({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean =>
  (effect === undefined || effect === '' || effect === taint.effect) &&
  (key === undefined || key === '' ? operator === 'Exists' : key === taint.key) &&
  (operator === 'Exists' || value === (taint.value ?? ''))

/** Why a node takes no pods with these tolerations, as the predicate of a sentence; undefined if it takes them. */
export const whyClosed = ({ spec, status }: NodeObject, tolerations: readonly Toleration[]): string | undefined => {
  if (spec?.unschedulable) return 'is cordoned'
  if (!status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'))
    return 'is not ready'
  const taint = spec?.taints?.find(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => matches(toleration, taint)),
  )
  return taint && `has the taint ${taint.key}`
}

/** The allocatable GPUs of a node. */
export const gpusOf = ({ status }: NodeObject): Gpus => gpusIn(status?.allocatable)

/** The model of a node's GPUs from its labels; empty if they lack it. */
export const productOf = ({ metadata }: NodeObject): string => metadata.labels?.[productLabel] ?? ''

/** Memory in MiB of one of its GPUs, or of one share or slice. */
export const memoryOf = ({ metadata }: NodeObject): number | undefined => {
  const mebibytes = Number(metadata.labels?.[memoryLabel])
  return Number.isInteger(mebibytes) && mebibytes > 0 ? mebibytes : undefined
}
