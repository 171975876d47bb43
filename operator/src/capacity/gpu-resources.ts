/** How the nodes' labels of GPU feature discovery are called. */
export const productLabel = 'nvidia.com/gpu.product'
export const memoryLabel = 'nvidia.com/gpu.memory'

/** Whole devices, also where a device plugin says that each of them is several. */
export const wholeGpu = 'nvidia.com/gpu'

/** Amounts by the name of a resource, as in `requests` and `allocatable`; quantities may come as numbers. */
export type Quantities = Readonly<Record<string, string | number>>

/** Whole GPUs, time shares under a name of their own, and slices by their profile. */
const isGpuResource = (name: string): boolean =>
  name === wholeGpu || name === 'nvidia.com/gpu.shared' || name.startsWith('nvidia.com/mig-')

/** GPUs by the name of their resource. Extended resources are whole numbers; what cannot be read as one counts as none. */
export type Gpus = Readonly<Record<string, number>>

/** What of some amounts are GPUs; those of which there are none are left out. */
export const gpusIn = (quantities: Quantities = {}): Gpus =>
  Object.fromEntries(
    Object.entries(quantities)
      .filter(([name]) => isGpuResource(name))
      .map(([name, amount]) => [name, Number(amount)] as const)
      .filter(([, amount]) => Number.isInteger(amount) && amount > 0),
  )

const combine = (a: Gpus, b: Gpus, how: (a: number, b: number) => number): Gpus =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => [name, how(a[name] ?? 0, b[name] ?? 0)]),
  )

export const sumOf = (all: readonly Gpus[]): Gpus => all.reduce((a, b) => combine(a, b, (x, y) => x + y), {})

export const mostOf = (a: Gpus, b: Gpus): Gpus => combine(a, b, Math.max)
