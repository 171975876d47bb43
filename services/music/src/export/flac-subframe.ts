import { type BitWriter, folded } from './flac-bits.ts'

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

/**
 * The order of the fixed predictor (RFC 9639, 9.2.5) whose residuals are smallest, of all orders in one pass: the residual of an order
 * is the difference of two residuals of the order below. All are compared from the sample on that the largest order predicts first.
 */
const bestOrder = (samples: Int32Array): number => {
  const most = Math.min(largestOrder, samples.length - 1)
  let [p0, p1, p2, p3] = [0, 0, 0, 0]
  let [sum0, sum1, sum2, sum3, sum4] = [0, 0, 0, 0, 0]
  for (let at = 0; at < samples.length; at++) {
    const d0 = samples[at] ?? 0
    const d1 = d0 - p0
    const d2 = d1 - p1
    const d3 = d2 - p2
    const d4 = d3 - p3
    p0 = d0
    p1 = d1
    p2 = d2
    p3 = d3
    if (at < most) continue
    sum0 += Math.abs(d0)
    sum1 += Math.abs(d1)
    sum2 += Math.abs(d2)
    sum3 += Math.abs(d3)
    sum4 += Math.abs(d4)
  }
  const sums = [sum0, sum1, sum2, sum3, sum4].slice(0, most + 1)
  return sums.indexOf(Math.min(...sums))
}

/** Residuals of the fixed predictor of an order; the first `order` values have no meaning. */
const residualsOf = (samples: Int32Array, order: number): Int32Array => {
  let residuals = samples
  for (let at = 1; at <= order; at++) {
    const next = new Int32Array(samples.length)
    for (let i = at; i < samples.length; i++) next[i] = (residuals[i] ?? 0) - (residuals[i - 1] ?? 0)
    residuals = next
  }
  return residuals
}

const isConstant = (samples: Int32Array): boolean => {
  let at = 1
  while (at < samples.length && samples[at] === samples[0]) at += 1
  return at >= samples.length
}

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
        const from = Math.max(order, index * size)
        writer.writeRice(residuals.subarray(from, (index + 1) * size), parameter)
      }
    },
  }
}

/** Plans the smallest subframe for samples of `depth` bits: constant, by a fixed predictor, or verbatim. */
export const planSubframe = (samples: Int32Array, depth: number): Subframe => {
  if (isConstant(samples)) return constant(samples[0] ?? 0, depth)
  const order = bestOrder(samples)
  const coded = predicted(samples, residualsOf(samples, order), order, depth)
  const plain = verbatim(samples, depth)
  return coded.bits < plain.bits ? coded : plain
}
