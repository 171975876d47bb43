import { gpuToleration, productLabel, wholeGpu } from '../capacity/mod.ts'
import type { GenerationJob } from '../crds/mod.ts'
import type { PodOverrides } from '../workers/mod.ts'

/** The GPUs that a run requests. */
export type GpuRequest = {
  amount: number
  /** The model as in the nodes' label; any by default. */
  product?: string
  /** Whether the run waits for them without limit. */
  isRequired: boolean
}

/** The GPU request of a GenerationJob: one GPU if it names a class or requires one without an amount. */
export const gpuRequest = ({ spec: { resources } }: GenerationJob): GpuRequest | undefined => {
  const { gpu, class: product, gpuRequired: isRequired = false } = resources ?? {}
  const amount = gpu ?? (product !== undefined || isRequired ? 1 : 0)
  return amount === 0 ? undefined : { amount, isRequired, ...(product === undefined ? {} : { product }) }
}

/** Describes a request: `a GPU`, `2 GPUs of model Tesla-T4`. */
export const inWords = ({ amount, product }: GpuRequest): string =>
  `${amount === 1 ? 'a GPU' : `${amount} GPUs`}${product === undefined ? '' : ` of model ${product}`}`

/** Whether the run requests resources that an idle worker of a pool may lack. */
export const requestsResources = ({ spec: { resources } }: GenerationJob): boolean =>
  Object.values(resources ?? {}).some((value) => value !== undefined && value !== false && value !== 0)

/**
 * Resource overrides of the run's pod beyond its template; `gpu` if it should have one. A GPU's request equals its
 * limit.
 */
export const resourceOverrides = (
  { spec: { resources } }: GenerationJob,
  gpu: GpuRequest | undefined,
): PodOverrides => {
  const amounts = {
    ...(resources?.cpu === undefined ? {} : { cpu: resources.cpu }),
    ...(resources?.memory === undefined ? {} : { memory: resources.memory }),
    ...(gpu ? { [wholeGpu]: String(gpu.amount) } : {}),
  }
  return {
    resources: { requests: amounts, limits: amounts },
    ...(gpu?.product === undefined ? {} : { nodeSelector: { [productLabel]: gpu.product } }),
    ...(gpu ? { tolerations: [gpuToleration] } : {}),
  }
}

/** Matches scheduler messages about a missing GPU: the resource, or the label of the model. */
const missesGpu = /Insufficient nvidia\.com|didn't match Pod's node (affinity|selector)/

/** Whether no node can provide the GPU: according to the nodes or, if they are unknown, to the scheduler. */
export const isOutOfReach = (offered: boolean | undefined, schedulerWords: string | undefined): boolean =>
  offered === undefined ? missesGpu.test(schedulerWords ?? '') : !offered
