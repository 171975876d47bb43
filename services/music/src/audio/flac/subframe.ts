import type { BitReader } from '../bit-reader.ts'

/** Samples of one channel: 33 bits, which the difference of two channels of 32 bits has, need floating point. */
export type Samples = Int32Array | Float64Array

/** Thrown for bits that are no frame. */
export class NoFrame extends Error {
  override readonly name = 'NoFrame'
}

const fixedCoefficients: readonly (readonly number[])[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]
/** Bits of a word of the reader that are always valid. */
const wordBits = 25
/** Samples, coefficients and their number may have this many bits together for their sum of products to fit into an integer. */
const integerBits = 32

const readSigned = (bits: BitReader, count: number): number => {
  if (count === 0) return 0
  const high = count > 32 ? bits.read(count - 32) * 2 ** 32 : 0
  const value = high + bits.read(Math.min(count, 32))
  return value >= 2 ** (count - 1) ? value - 2 ** count : value
}

/** Reads numbers in a Rice code (RFC 9639, 9.2.7). */
const readRice = (bits: BitReader, into: Samples, from: number, to: number, parameter: number): void => {
  const start = bits.position()
  const end = start + bits.remaining()
  let at = start
  for (let i = from; i < to; i++) {
    let word = bits.wordAt(at)
    let zeros = Math.clz32(word)
    let quotient = 0
    while (zeros >= wordBits && at <= end) {
      quotient += wordBits
      at += wordBits
      word = bits.wordAt(at)
      zeros = Math.clz32(word)
    }
    quotient += zeros
    const coded = zeros + 1 + parameter
    let value = quotient
    if (parameter > 0) {
      const low =
        coded <= wordBits ? (word << (zeros + 1)) >>> (32 - parameter) : readLow(bits, at + zeros + 1, parameter)
      value = ((quotient << parameter) | low) >>> 0
    }
    at += coded
    into[i] = (value >>> 1) ^ -(value & 1)
  }
  bits.skip(at - start)
}

/** Up to 31 bits from a position on. */
const readLow = (bits: BitReader, at: number, count: number): number => {
  const high = Math.min(count, 16)
  const rest = count - high
  const upper = bits.wordAt(at) >>> (32 - high)
  return rest === 0 ? upper : ((upper << rest) | (bits.wordAt(at + high) >>> (32 - rest))) >>> 0
}

/** Reads the residuals that follow `order` samples (9.2.7). */
const readResiduals = (bits: BitReader, into: Samples, order: number): void => {
  const method = bits.read(2)
  if (method > 1) throw new NoFrame('The coding of residuals is reserved')
  const parameterBits = method === 0 ? 4 : 5
  /** Instead of a parameter: the residuals of the partition are not coded. */
  const uncoded = 2 ** parameterBits - 1
  const partitions = 2 ** bits.read(4)
  const size = into.length / partitions
  if (!Number.isInteger(size) || size < order) throw new NoFrame('The partitions do not fit the block')
  for (let partition = 0; partition < partitions; partition++) {
    const [from, to] = [partition === 0 ? order : partition * size, (partition + 1) * size]
    const parameter = bits.read(parameterBits)
    if (parameter < uncoded) {
      readRice(bits, into, from, to, parameter)
      continue
    }
    const count = bits.read(5)
    for (let i = from; i < to; i++) into[i] = readSigned(bits, count)
  }
}

/** Adds a linear prediction to residuals, in place. Sums are exact: they have at most 53 bits. */
const predict = (
  samples: Samples,
  coefficients: readonly number[],
  { shift, isInteger }: { shift: number; isInteger: boolean },
): void => {
  const order = coefficients.length
  const weights = Int32Array.from(coefficients)
  if (isInteger && samples instanceof Int32Array) {
    for (let i = order; i < samples.length; i++) {
      let sum = 0
      for (let k = 0; k < order; k++) sum = (sum + Math.imul(weights[k] ?? 0, samples[i - 1 - k] ?? 0)) | 0
      samples[i] = (samples[i] ?? 0) + (sum >> shift)
    }
    return
  }
  const scale = 2 ** -shift
  for (let i = order; i < samples.length; i++) {
    let sum = 0
    for (let k = 0; k < order; k++) sum += (weights[k] ?? 0) * (samples[i - 1 - k] ?? 0)
    samples[i] = (samples[i] ?? 0) + Math.floor(sum * scale)
  }
}

const bitsOf = (value: number): number => 32 - Math.clz32(value)

const readPredicted = (
  bits: BitReader,
  samples: Samples,
  order: number,
  { depth, isFixed }: { depth: number; isFixed: boolean },
): void => {
  if (order > samples.length) throw new NoFrame('The block is shorter than its prediction')
  for (let i = 0; i < order; i++) samples[i] = readSigned(bits, depth)
  const fixed = fixedCoefficients[order] ?? []
  const precision = isFixed ? 4 : bits.read(4) + 1
  if (precision > 15) throw new NoFrame('The precision of the prediction is reserved')
  const shift = isFixed ? 0 : readSigned(bits, 5)
  if (shift < 0) throw new NoFrame('The shift of the prediction is negative')
  const coefficients = isFixed ? fixed : Array.from({ length: order }, () => readSigned(bits, precision))
  readResiduals(bits, samples, order)
  predict(samples, coefficients, { shift, isInteger: depth + precision + bitsOf(order - 1) <= integerBits })
}

/** Reads a subframe (RFC 9639, 9.2) of `length` samples of `depth` bits. Throws NoFrame, and what the reader throws. */
export const readSubframe = (bits: BitReader, length: number, depth: number): Samples => {
  if (bits.read(1) !== 0) throw new NoFrame('The subframe begins with a one')
  const type = bits.read(6)
  let wasted = 0
  if (bits.read(1)) for (wasted = 1; bits.read(1) === 0; wasted++);
  const size = depth - wasted
  if (size < 1) throw new NoFrame('All bits of the samples are wasted')
  const samples: Samples = depth > 32 ? new Float64Array(length) : new Int32Array(length)
  if (type === 0) samples.fill(readSigned(bits, size))
  else if (type === 1) for (let i = 0; i < length; i++) samples[i] = readSigned(bits, size)
  else if (type >= 8 && type <= 12) readPredicted(bits, samples, type - 8, { depth: size, isFixed: true })
  else if (type >= 32) readPredicted(bits, samples, type - 31, { depth: size, isFixed: false })
  else throw new NoFrame('The type of the subframe is reserved')
  if (wasted > 0) for (let i = 0; i < length; i++) samples[i] = (samples[i] ?? 0) * 2 ** wasted
  return samples
}
