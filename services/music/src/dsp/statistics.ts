/** The mean; 0 for an empty array. */
export const meanOf = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0
  return values.length === 0 ? 0 : sum / values.length
}

/** The value below which `share` (0..1) of the values lie; 0 for an empty array. */
export const quantile = (values: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(share * sorted.length)))] ?? 0
}

/** The median; 0 for an empty array. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5)

/** Limits a value to a range. */
export const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

/** Offset (in steps, -0.5..0.5) of the top of the parabola through three equally spaced values from the middle one. */
export const parabolicOffset = (before: number, middle: number, after: number): number => {
  const curvature = before - 2 * middle + after
  return curvature >= 0 ? 0 : clamp((0.5 * (before - after)) / curvature, -0.5, 0.5)
}

/** Smooths by a Gaussian of standard deviation `deviation`, in frames. */
export const smoothFrames = (values: Float32Array, deviation: number): Float32Array => {
  const reach = Math.max(1, Math.ceil(deviation * 3))
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-0.5 * ((i - reach) / deviation) ** 2))
  const scale = 1 / kernel.reduce((sum, weight) => sum + weight, 0)
  return values.map((_, at) => {
    let sum = 0
    for (let k = -reach; k <= reach; k++) sum += (kernel[k + reach] ?? 0) * (values[at + k] ?? 0)
    return sum * scale
  })
}
