/** Node labels set by GPU feature discovery. */
export const productLabel = 'nvidia.com/gpu.product'
export const memoryLabel = 'nvidia.com/gpu.memory'

/** Whole devices, also if the device plugin shares each of them. */
export const wholeGpu = 'nvidia.com/gpu'

/** Amounts by resource name, as in `requests` and `allocatable`; quantities may be numbers. */
export type Quantities = Readonly<Record<string, string | number>>

/** Whole GPUs, time shares with their own resource name, and MIG slices by profile. */
const isGpuResource = (name: string): boolean =>
  name === wholeGpu || name === 'nvidia.com/gpu.shared' || name.startsWith('nvidia.com/mig-')

/** GPU counts by resource name. Extended resources are whole numbers; anything else counts as none. */
export type Gpus = Readonly<Record<string, number>>

/** The GPU amounts among resource quantities, without zero amounts. */
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
