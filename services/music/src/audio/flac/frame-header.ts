import type { BitReader } from '../bit-reader.ts'
import { flacCrc8 } from './checksums.ts'
import type { StreamInfo } from './stream-info.ts'

/** How channels are combined (RFC 9639, 9.1.3). */
export type Combination = 'independent' | 'left-side' | 'side-right' | 'middle-side'

export type FrameHeader = StreamInfo & {
  /** Samples of each channel. */
  readonly length: number
  readonly combination: Combination
}

const sampleRates = [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
const bitDepths: readonly (number | undefined)[] = [undefined, 8, 12, undefined, 16, 20, 24, 32]
const combinations: Record<number, Combination> = { 8: 'left-side', 9: 'side-right', 10: 'middle-side' }
const reservedDepth = 3
const syncCode = 0x7ffc

/** Samples of a block, by its code (9.1.1); undefined for a reserved one. */
const readLength = (bits: BitReader, code: number): number | undefined => {
  if (code === 0) return undefined
  if (code === 1) return 192
  if (code <= 5) return 144 * 2 ** code
  if (code === 6) return bits.read(8) + 1
  if (code === 7) return bits.read(16) + 1
  return 2 ** code
}

/** The sample rate, by its code (9.1.2); undefined for a forbidden one. */
const readRate = (bits: BitReader, code: number, { sampleRate }: StreamInfo): number | undefined => {
  if (code === 0) return sampleRate
  if (code === 12) return bits.read(8) * 1_000
  if (code === 13) return bits.read(16)
  if (code === 14) return bits.read(16) * 10
  return sampleRates[code - 1]
}

/** Skips the number of a block, coded like a character of UTF-8 with up to seven bytes; false if it is malformed. */
const skipNumber = (bits: BitReader): boolean => {
  const first = bits.read(8)
  const ones = Math.clz32(~(first << 24))
  if (ones === 1 || ones > 7) return false
  for (let i = 1; i < ones; i++) if (bits.read(8) >> 6 !== 2) return false
  return true
}

/**
 * Reads the header of a frame (RFC 9639, 9.1) at the beginning of `bytes`, which `bits` reads. Undefined if there is none. Throws what
 * the reader throws where the bytes end.
 */
export const readFrameHeader = (bits: BitReader, bytes: Uint8Array, info: StreamInfo): FrameHeader | undefined => {
  if (bits.read(15) !== syncCode) return undefined
  bits.skip(1)
  const [lengthCode, rateCode, channelCode, depthCode, reserved] = [4, 4, 4, 3, 1].map((count) => bits.read(count))
  if (reserved !== 0 || (channelCode ?? 0) > 10 || depthCode === reservedDepth || !skipNumber(bits)) return undefined
  const length = readLength(bits, lengthCode ?? 0)
  const sampleRate = readRate(bits, rateCode ?? 0, info)
  if (length === undefined || !sampleRate) return undefined
  const end = bits.position() / 8
  if (bits.read(8) !== flacCrc8(bytes.subarray(0, end))) return undefined
  const combination = combinations[channelCode ?? 0] ?? 'independent'
  const channels = combination === 'independent' ? (channelCode ?? 0) + 1 : 2
  return { sampleRate, channels, bitDepth: bitDepths[depthCode ?? 0] ?? info.bitDepth, length, combination }
}
