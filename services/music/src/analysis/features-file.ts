import { ENVELOPE_PER_PART, type Features, FRAMES_PER_PART } from './features.ts'
import { BANDS } from './spectral-frames.ts'

/**
 * How features are kept: four counts (the version, the first part, the parts, the peaks) as 32-bit whole numbers, then the
 * levels, the envelope, the peaks' pitches and strengths as 32-bit floats and the peaks of each part as 16-bit whole
 * numbers, all little-endian. A file of another version, or one that is not whole, is measured anew.
 */
const VERSION = 1
const HEADER = 4

export interface StoredFeatures {
  readonly firstPart: number
  readonly parts: number
  readonly features: Features
}

const bytesOf = (values: Float32Array | Uint16Array | Uint32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** The features of whole parts of a piece as a file. */
export const encodeFeatures = (firstPart: number, { levels, envelope, peaks }: Features): Uint8Array => {
  const { counts, pitches, strengths } = peaks
  const header = Uint32Array.of(VERSION, firstPart, counts.length, pitches.length)
  return Buffer.concat([header, levels, envelope, pitches, strengths, counts].map(bytesOf))
}

/** What a file holds; undefined where it is not one of these. */
export const decodeFeatures = (bytes: Uint8Array): StoredFeatures | undefined => {
  if (bytes.length < HEADER * 4) return undefined
  // A copy, since views of numbers must begin at whole multiples of their size.
  const { buffer } = bytes.slice()
  const [version, firstPart = 0, parts = 0, peaks = 0] = new Uint32Array(buffer, 0, HEADER)
  const floats = parts * (FRAMES_PER_PART * BANDS + ENVELOPE_PER_PART) + 2 * peaks
  if (version !== VERSION || bytes.length !== (HEADER + floats) * 4 + parts * 2) return undefined
  let at = HEADER * 4
  const take = (count: number) => {
    at += count * 4
    return new Float32Array(buffer, at - count * 4, count)
  }
  const [levels, envelope] = [take(parts * FRAMES_PER_PART * BANDS), take(parts * ENVELOPE_PER_PART)]
  const [pitches, strengths, counts] = [take(peaks), take(peaks), new Uint16Array(buffer, at, parts)]
  return { firstPart, parts, features: { levels, envelope, peaks: { counts, pitches, strengths } } }
}
