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

/**
 * Reads codewords: a unary quotient, and a remainder of `suffix` bits (at most 24) whose smallest value has one bit less. It holds
 * its own position, since a codeword is read for nearly every sample; `finish` advances the reader of the packet.
 */
const createCodewordReader = (bits: BitReader) => {
  const start = bits.position()
  let at = start
  return {
    read(suffix: number, divisor: number, escapeBits: number): number {
      const ones = Math.clz32(~bits.wordAt(at))
      if (ones >= escapePrefix) {
        at += escapePrefix + escapeBits
        // A word has at least 25 bits, and an escape up to 32.
        const low = Math.min(escapeBits, 16)
        const high = escapeBits - low
        const from = at - escapeBits
        const upper = high > 0 ? bits.wordAt(from) >>> (32 - high) : 0
        return upper * 2 ** low + (bits.wordAt(from + high) >>> (32 - low))
      }
      at += ones + 1
      if (suffix === 1) return ones
      const rest = bits.wordAt(at) >>> (32 - suffix)
      at += rest >= 2 ? suffix : suffix - 1
      return Math.imul(ones, divisor) + (rest >= 2 ? rest - 1 : 0)
    },
    finish: () => bits.skip(at - start),
  }
}

/** Reads the prediction errors of one channel (ALAC reference, "dyn_decomp"): values and runs of zeros. */
export const readResiduals = (
  bits: BitReader,
  { mean: initial, adaptation, limit, size }: Residuals,
  frames: number,
): Int32Array => {
  const values = new Int32Array(frames)
  const codewords = createCodewordReader(bits)
  const runMask = 2 ** Math.min(limit, 24) - 1
  let mean = initial
  let wasRun = 0
  for (let at = 0; at < frames; ) {
    const suffix = Math.min(31 - Math.clz32((mean >>> fraction) + 3), limit)
    const coded = codewords.read(suffix, (1 << suffix) - 1, size)
    const folded = coded + wasRun
    values[at++] = (folded >>> 1) ^ -(folded & 1)
    mean = (Math.imul(adaptation, folded) + mean - (Math.imul(adaptation, mean) >> fraction)) >>> 0
    if (coded > largestMean) mean = largestMean
    wasRun = 0
    if ((mean << 2) >>> 0 >= 1 << fraction || at >= frames) continue
    const runSuffix = Math.clz32(mean) - 24 + ((mean + 16) >> 6)
    // Only a damaged stream has a mean so large that it seems small here.
    if (runSuffix < 1) throw invalidAudio('The ALAC stream is damaged.')
    const run = codewords.read(runSuffix, ((1 << runSuffix) - 1) & runMask, runEscapeBits)
    if (at + run > frames) throw invalidAudio('The ALAC stream is damaged.')
    at += run
    wasRun = run < largestMean ? 1 : 0
    mean = 0
  }
  codewords.finish()
  return values
}
