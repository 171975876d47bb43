import type { Pooling } from './model-files.ts'

/** The output of a network for one text: `length` rows of `width` numbers, one row per token. */
export type TokenRows = { rows: Float32Array; length: number; width: number }

const meanOf = ({ rows, length, width }: TokenRows): Float32Array => {
  const sums = new Float64Array(width)
  for (let index = 0; index < length * width; index++) {
    const column = index % width
    sums[column] = (sums[column] ?? 0) + (rows[index] ?? 0)
  }
  return Float32Array.from(sums, (sum) => sum / Math.max(1, length))
}

const largestOf = ({ rows, length, width }: TokenRows): Float32Array => {
  const largest = new Float32Array(width).fill(Number.NEGATIVE_INFINITY)
  for (let index = 0; index < length * width; index++) {
    const column = index % width
    largest[column] = Math.max(largest[column] ?? 0, rows[index] ?? 0)
  }
  return largest
}

const pools: Record<Pooling, (rows: TokenRows) => Float32Array> = {
  mean: meanOf,
  first: ({ rows, width }) => rows.slice(0, width),
  largest: largestOf,
}

/** Combines the vectors of the tokens into one for the text. */
export const pool = (pooling: Pooling, rows: TokenRows): Float32Array => pools[pooling](rows)

/** Scales a vector to length 1, so that a dot product is a cosine. A zero vector is unchanged. */
export const normalized = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))

const softmax = (values: Float32Array): Float32Array => {
  const largest = Math.max(...values)
  const powers = values.map((value) => Math.exp(value - largest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

/** The probabilities of the labels; independent if several may apply or there is only one. */
export const probabilities = (scores: Float32Array, isMultiLabel: boolean): Float32Array =>
  isMultiLabel || scores.length === 1 ? scores.map(sigmoid) : softmax(scores)
