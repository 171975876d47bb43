/** GPU capacity: how many GPUs of each model exist and who holds them. */
export { createGpuCapacity, type GpuCapacity } from './gpu-capacity.ts'
export { gpuToleration } from './gpu-nodes.ts'
export { productLabel, wholeGpu } from './gpu-resources.ts'
