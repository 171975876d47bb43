import { createRandom } from '../../src/dsp/random.ts'

/** Rows of the same length. */
export type Matrix = readonly Float64Array[]

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** Adds `weight · row rowᵀ` to the upper triangle of a square matrix. */
const addOuter = (matrix: Matrix, row: ArrayLike<number>, other: ArrayLike<number>, from: (i: number) => number) => {
  for (const [i, out] of matrix.entries()) {
    const value = row[i] ?? 0
    if (value === 0) continue
    for (let j = from(i); j < out.length; j++) out[j] = (out[j] ?? 0) + value * (other[j] ?? 0)
  }
}

export const zeros = (rows: number, columns: number): Matrix =>
  Array.from({ length: rows }, () => new Float64Array(columns))

/** The principal components of rows: orthonormal directions with the most power, and the deviation along each (subspace iteration). */
export const principalComponents = (rows: readonly ArrayLike<number>[], count: number) => {
  const width = rows[0]?.length ?? 0
  const covariance = zeros(width, width)
  for (const row of rows) addOuter(covariance, row, row, (i) => i)
  for (let i = 0; i < width; i++)
    for (let j = i + 1; j < width; j++) {
      const row = covariance[j]
      if (row) row[i] = covariance[i]?.[j] ?? 0
    }
  const random = createRandom(1)
  let directions: Float64Array[] = Array.from({ length: count }, () =>
    Float64Array.from({ length: width }, () => random.next() - 0.5),
  )
  for (let pass = 0; pass < 20; pass++) {
    const orthonormal: Float64Array[] = []
    for (const direction of directions) {
      const next = Float64Array.from(covariance, (row) => dot(row, direction))
      for (const other of orthonormal) {
        const share = dot(next, other)
        for (let i = 0; i < width; i++) next[i] = (next[i] ?? 0) - share * (other[i] ?? 0)
      }
      const length = Math.sqrt(dot(next, next)) || 1
      orthonormal.push(next.map((value) => value / length))
    }
    directions = orthonormal
  }
  const deviations = directions.map((direction) =>
    Math.sqrt(
      dot(
        Float64Array.from(covariance, (row) => dot(row, direction)),
        direction,
      ) / rows.length,
    ),
  )
  return { directions, deviations }
}

/**
 * The matrix (outputs by inputs) that predicts targets from inputs with the least squares, and a penalty on its size: ridge
 * regression by Cholesky factors.
 */
export const ridgeRegression = (
  pairs: Iterable<{ input: ArrayLike<number>; target: ArrayLike<number> }>,
  { inputs, targets, penalty }: { inputs: number; targets: number; penalty: number },
): Matrix => {
  const squares = zeros(inputs, inputs)
  const products = zeros(inputs, targets)
  let count = 0
  for (const { input, target } of pairs) {
    addOuter(squares, input, input, (i) => i)
    addOuter(products, input, target, () => 0)
    count += 1
  }
  const factor = zeros(inputs, inputs)
  for (let i = 0; i < inputs; i++)
    for (let j = 0; j <= i; j++) {
      let sum = (squares[j]?.[i] ?? 0) + (i === j ? penalty * count : 0)
      for (let k = 0; k < j; k++) sum -= (factor[i]?.[k] ?? 0) * (factor[j]?.[k] ?? 0)
      const row = factor[i]
      if (row) row[j] = i === j ? Math.sqrt(sum) : sum / (factor[j]?.[j] ?? 1)
    }
  return Array.from({ length: targets }, (_, target) => {
    const solved = new Float64Array(inputs)
    for (let i = 0; i < inputs; i++) {
      let sum = products[i]?.[target] ?? 0
      for (let k = 0; k < i; k++) sum -= (factor[i]?.[k] ?? 0) * (solved[k] ?? 0)
      solved[i] = sum / (factor[i]?.[i] ?? 1)
    }
    for (let i = inputs - 1; i >= 0; i--) {
      let sum = solved[i] ?? 0
      for (let k = i + 1; k < inputs; k++) sum -= (factor[k]?.[i] ?? 0) * (solved[k] ?? 0)
      solved[i] = sum / (factor[i]?.[i] ?? 1)
    }
    return solved
  })
}

const squaredDistance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2
  return sum
}

export const nearest = (row: ArrayLike<number>, centres: readonly ArrayLike<number>[]): number => {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [index, centre] of centres.entries()) {
    const distance = squaredDistance(row, centre)
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

/** Centres of clusters of rows (k-means by Lloyd, begun with random rows). */
export const clusterCentres = (rows: readonly ArrayLike<number>[], count: number, passes: number): Float64Array[] => {
  const random = createRandom(7)
  const width = rows[0]?.length ?? 0
  let centres = Array.from({ length: count }, () =>
    Float64Array.from(rows[Math.floor(random.next() * rows.length)] ?? []),
  )
  for (let pass = 0; pass < passes; pass++) {
    const sums = zeros(count, width)
    const sizes = new Float64Array(count)
    for (const row of rows) {
      const index = nearest(row, centres)
      const sum = sums[index]
      sizes[index] = (sizes[index] ?? 0) + 1
      if (sum) for (let i = 0; i < width; i++) sum[i] = (sum[i] ?? 0) + (row[i] ?? 0)
    }
    // An empty cluster begins again with a random row.
    centres = sums.map((sum, index) => {
      const size = sizes[index] ?? 0
      return size > 0
        ? sum.map((value) => value / size)
        : Float64Array.from(rows[Math.floor(random.next() * rows.length)] ?? [])
    })
  }
  return centres
}
