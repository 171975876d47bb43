import type { BitWriter } from './flac-bits.ts'

/** How the residuals of a subframe are divided: 2^order partitions, each with its Rice parameter. */
type Partitions = { readonly order: number; readonly parameters: readonly number[]; readonly bits: number }

/** A subframe that has been planned: its size, and how it is written (RFC 9639, 9.2). */
export type Subframe = { readonly bits: number; write(writer: BitWriter): void }

const largestOrder = 4
const largestPartitionOrder = 6
/** With a 5-bit parameter; 31 would mean that residuals are not coded. */
const largestParameter = 30
const parameterBits = 5
const headerBits = 8

/** Residuals of the fixed predictors: differences of ascending order. */
const differences = (samples: Int32Array): Int32Array[] => {
  const orders = [samples]
  for (let order = 1; order <= Math.min(largestOrder, samples.length - 1); order++) {
    const last = orders[order - 1] ?? samples
    const next = new Int32Array(samples.length)
    for (let at = order; at < samples.length; at++) next[at] = (last[at] ?? 0) - (last[at - 1] ?? 0)
    orders.push(next)
  }
  return orders
}

const magnitudes = (residuals: Int32Array, from: number): number => {
  let sum = 0
  for (let at = from; at < residuals.length; at++) sum += Math.abs(residuals[at] ?? 0)
  return sum
}

/** Signed numbers as unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
const folded = (residual: number): number => ((residual << 1) ^ (residual >> 31)) >>> 0

/** The Rice parameter with the fewest bits (at most) for numbers of this count and sum. */
const bestParameter = (count: number, sum: number): { parameter: number; bits: number } => {
  let parameter = Math.max(0, Math.min(largestParameter, Math.floor(Math.log2(sum / Math.max(1, count) || 1))))
  const bitsOf = (k: number) => count * (k + 1) + Math.floor(sum / 2 ** k)
  if (parameter < largestParameter && bitsOf(parameter + 1) < bitsOf(parameter)) parameter += 1
  return { parameter, bits: bitsOf(parameter) }
}

/** Divides residuals so that they take the fewest bits. The first partition lacks the `skipped` samples before the residuals. */
const bestPartitions = (residuals: Int32Array, skipped: number): Partitions => {
  const length = residuals.length
  let order = largestPartitionOrder
  while (order > 0 && (length % (1 << order) !== 0 || length >> order <= skipped)) order -= 1
  let sums = Array.from({ length: 1 << order }, (_, index) => {
    const size = length >> order
    let sum = 0
    for (let at = Math.max(skipped, index * size); at < (index + 1) * size; at++) sum += folded(residuals[at] ?? 0)
    return sum
  })
  let best: Partitions | undefined
  for (; ; order--) {
    const size = length >> order
    const plans = sums.map((sum, index) => bestParameter(index === 0 ? size - skipped : size, sum))
    const bits = plans.reduce((total, plan) => total + parameterBits + plan.bits, 0)
    if (!best || bits < best.bits) best = { order, parameters: plans.map(({ parameter }) => parameter), bits }
    if (order === 0) return best
    sums = Array.from({ length: sums.length / 2 }, (_, i) => (sums[2 * i] ?? 0) + (sums[2 * i + 1] ?? 0))
  }
}

const writeHeader = (writer: BitWriter, type: number): void => writer.write(type << 1, headerBits)

const constant = (value: number, depth: number): Subframe => ({
  bits: headerBits + depth,
  write(writer) {
    writeHeader(writer, 0)
    writer.write(value, depth)
  },
})

const verbatim = (samples: Int32Array, depth: number): Subframe => ({
  bits: headerBits + samples.length * depth,
  write(writer) {
    writeHeader(writer, 1)
    for (const sample of samples) writer.write(sample, depth)
  },
})

const predicted = (samples: Int32Array, residuals: Int32Array, order: number, depth: number): Subframe => {
  const partitions = bestPartitions(residuals, order)
  return {
    bits: headerBits + order * depth + 6 + partitions.bits,
    write(writer) {
      writeHeader(writer, 8 + order)
      for (let at = 0; at < order; at++) writer.write(samples[at] ?? 0, depth)
      // Coding method 1: parameters of five bits.
      writer.write(1, 2)
      writer.write(partitions.order, 4)
      const size = samples.length >> partitions.order
      for (const [index, parameter] of partitions.parameters.entries()) {
        writer.write(parameter, parameterBits)
        for (let at = Math.max(order, index * size); at < (index + 1) * size; at++) {
          const value = folded(residuals[at] ?? 0)
          writer.writeUnary(Math.floor(value / 2 ** parameter))
          writer.write(value, parameter)
        }
      }
    },
  }
}

/** Plans the smallest subframe for samples of `depth` bits: constant, by a fixed predictor, or verbatim. */
export const planSubframe = (samples: Int32Array, depth: number): Subframe => {
  if (samples.every((sample) => sample === samples[0])) return constant(samples[0] ?? 0, depth)
  const orders = differences(samples)
  const sums = orders.map((residuals) => magnitudes(residuals, orders.length - 1))
  const order = sums.indexOf(Math.min(...sums))
  const coded = predicted(samples, orders[order] ?? samples, order, depth)
  const plain = verbatim(samples, depth)
  return coded.bits < plain.bits ? coded : plain
}
