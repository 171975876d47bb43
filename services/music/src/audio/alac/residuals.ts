import type { BitReader } from '../bit-reader.ts'
import { invalidAudio } from '../refusal.ts'

/** Parameters of the adaptive Golomb code of prediction errors. */
export type Residuals = {
  readonly mean: number
  readonly adaptation: number
  /** The longest suffix of a codeword, in bits. */
  readonly limit: number
  /** Size of a value that is not coded, in bits. */
  readonly size: number
}

/** Codewords with this many leading ones are escapes: the value follows in full. */
const escapePrefix = 9
const runEscapeBits = 16
/** Fixed point of the mean. */
const fraction = 9
const largestMean = 0xffff

/** Reads a codeword: a unary quotient, and a remainder of `suffix` bits whose smallest value has one bit less. */
const readCodeword = (bits: BitReader, divisor: number, suffix: number, escapeBits: number): number => {
  const ones = Math.clz32(~(bits.peek(escapePrefix) << (32 - escapePrefix)))
  if (ones >= escapePrefix) {
    bits.skip(escapePrefix)
    return bits.read(escapeBits)
  }
  bits.skip(ones + 1)
  if (suffix === 1) return ones
  const rest = bits.peek(suffix)
  bits.skip(rest >= 2 ? suffix : suffix - 1)
  return ones * divisor + (rest >= 2 ? rest - 1 : 0)
}

/** Reads the prediction errors of one channel (ALAC reference, "dyn_decomp"): values and runs of zeros. */
export const readResiduals = (
  bits: BitReader,
  { mean: initial, adaptation, limit, size }: Residuals,
  frames: number,
): Int32Array => {
  const values = new Int32Array(frames)
  const runMask = 2 ** Math.min(limit, 24) - 1
  let mean = initial
  let wasRun = 0
  for (let at = 0; at < frames; ) {
    const suffix = Math.min(31 - Math.clz32((mean >>> fraction) + 3), limit)
    const coded = readCodeword(bits, 2 ** suffix - 1, suffix, size)
    const folded = coded + wasRun
    values[at++] = folded % 2 === 1 ? -((folded + 1) / 2) : folded / 2
    mean = (Math.imul(adaptation, folded) + mean - (Math.imul(adaptation, mean) >> fraction)) >>> 0
    if (coded > largestMean) mean = largestMean
    wasRun = 0
    if (mean << 2 >= 1 << fraction || at >= frames) continue
    const runSuffix = Math.clz32(mean) - 24 + ((mean + 16) >> 6)
    const run = readCodeword(bits, (2 ** runSuffix - 1) & runMask, runSuffix, runEscapeBits)
    if (at + run > frames) throw invalidAudio('The ALAC stream is damaged.')
    at += run
    wasRun = run < largestMean ? 1 : 0
    mean = 0
  }
  return values
}
