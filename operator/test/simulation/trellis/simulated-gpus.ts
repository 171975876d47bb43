import { type NodeObject, nodeResource } from '../../../src/capacity/gpu-nodes.ts'
import { productLabel, wholeGpu } from '../../../src/capacity/gpu-resources.ts'
import type { Draft } from '../../../src/runtime/mod.ts'
import type { Pod } from '../../../src/workers/mod.ts'
import type { Simulation, Storage } from '../mod.ts'

/** The only GPU model of the simulated nodes. */
export const gpuModel = 'Tesla-T4'
const name = 'gpu-node'

const gpusOf = ({ status }: NodeObject): number => Number(status?.allocatable?.[wholeGpu] ?? 0)

/** The GPU resource that no node offers to a pod; undefined if it needs none or a node has enough. */
export const missingGpus = (storage: Storage, { spec }: Pod): string | undefined => {
  const requested = Number(spec?.containers?.[0]?.resources?.limits?.[wholeGpu] ?? 0)
  const model = spec?.nodeSelector?.[productLabel]
  const isOffered = storage
    .list(nodeResource)
    .some(
      (node) => gpusOf(node) >= requested && (model === undefined || node.metadata.labels?.[productLabel] === model),
    )
  return requested === 0 || isOffered ? undefined : wholeGpu
}

/** A node with GPUs that can join and leave the cluster. */
export const gpuNode = ({ storage }: Simulation) => {
  const isThere = () => storage.list(nodeResource).length > 0
  return {
    join: () => {
      if (isThere()) return
      storage.create(nodeResource, {
        metadata: { name, labels: { [productLabel]: gpuModel } },
        spec: {},
        status: { allocatable: { [wholeGpu]: 4 }, conditions: [{ type: 'Ready', status: 'True' }] },
      } as Draft<NodeObject>)
    },
    leave: () => {
      if (isThere()) storage.delete(nodeResource, { name })
    },
  }
}
