import { type KubeObject, type Resource, resource } from '../runtime/mod.ts'
import { type Gpus, gpusIn, memoryLabel, productLabel, type Quantities } from './gpu-resources.ts'

export type Taint = { key: string; value?: string; effect: string }

export type Toleration = { key?: string; operator?: string; value?: string; effect?: string }

/** As much of a node as is read here. */
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

/** A node without what is not read: its images, addresses and most of its labels are much the larger part. */
export const keepOfNode = ({ metadata, spec, status }: NodeObject): NodeObject => ({
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

/** What every worker with a GPU tolerates: nodes are often kept for such pods by this taint. */
export const gpuToleration: Toleration = { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }

/** Whether a toleration is of a taint, as the scheduler has it. */
const matches = ({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean =>
  (effect === undefined || effect === '' || effect === taint.effect) &&
  (key === undefined || key === '' ? operator === 'Exists' : key === taint.key) &&
  (operator === 'Exists' || value === (taint.value ?? ''))

/**
 * Why a node takes no pods with these tolerations, as the end of a sentence about it; undefined where it takes them.
 */
export const whyClosed = ({ spec, status }: NodeObject, tolerations: readonly Toleration[]): string | undefined => {
  if (spec?.unschedulable) return 'is cordoned'
  if (!status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'))
    return 'is not ready'
  const taint = spec?.taints?.find(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => matches(toleration, taint)),
  )
  return taint && `has the taint ${taint.key}`
}

/** The GPUs that a node can give to pods. */
export const gpusOf = ({ status }: NodeObject): Gpus => gpusIn(status?.allocatable)

/** The model of a node's GPUs as its labels tell; empty where they do not. */
export const productOf = ({ metadata }: NodeObject): string => metadata.labels?.[productLabel] ?? ''

/** MiB of one of its GPUs, or of one share or slice. */
export const memoryOf = ({ metadata }: NodeObject): number | undefined => {
  const mebibytes = Number(metadata.labels?.[memoryLabel])
  return Number.isInteger(mebibytes) && mebibytes > 0 ? mebibytes : undefined
}
