import { gpuToleration, productLabel, wholeGpu } from '../capacity/mod.ts'
import type { GenerationJob } from '../crds/mod.ts'
import type { PodOverrides } from '../workers/mod.ts'

/** The GPUs that a run asks for. */
export type GpuRequest = {
  amount: number
  /** The model, as nodes name it; any unless told. */
  product?: string
  /** Whether it waits for them however long it takes. */
  isRequired: boolean
}

/** What a GenerationJob asks for: one GPU where it names a class or requires one and does not say how many. */
export const gpuRequest = ({ spec: { resources } }: GenerationJob): GpuRequest | undefined => {
  const { gpu, class: product, gpuRequired: isRequired = false } = resources ?? {}
  const amount = gpu ?? (product !== undefined || isRequired ? 1 : 0)
  return amount === 0 ? undefined : { amount, isRequired, ...(product === undefined ? {} : { product }) }
}

/** A wish in words: `a GPU`, `2 GPUs of model Tesla-T4`. */
export const inWords = ({ amount, product }: GpuRequest): string =>
  `${amount === 1 ? 'a GPU' : `${amount} GPUs`}${product === undefined ? '' : ` of model ${product}`}`

/** Whether anything is asked for that a worker which waits for any run may not have. */
export const asksForResources = ({ spec: { resources } }: GenerationJob): boolean =>
  Object.values(resources ?? {}).some((value) => value !== undefined && value !== false && value !== 0)

/** What the pod of a run is given beyond its template; `gpu` where it is to have one. A GPU's request is its limit. */
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

/** The scheduler's words for what a run with a GPU misses: the resource, or the label of the model. */
const missesGpu = /Insufficient nvidia\.com|didn't match Pod's node (affinity|selector)/

/** Whether no machine can do it with a GPU: as the nodes say or, where they are not known, as the scheduler does. */
export const isOutOfReach = (offered: boolean | undefined, schedulerWords: string | undefined): boolean =>
  offered === undefined ? missesGpu.test(schedulerWords ?? '') : !offered
