import { fluxGroups } from './band-flux.ts'
import { envelopePerPart, type Features, framesPerPart } from './features.ts'
import { BANDS } from './spectral-frames.ts'

/**
 * Format of a features file: four counts (version, first part, parts, peaks) as 32-bit integers, then the levels, the
 * flux, the envelope, the peaks' pitches and strengths as 32-bit floats and the number of peaks of each part as 16-bit integers, all
 * little-endian. Features are measured again if the file has another version or is incomplete.
 */
const VERSION = 2
const HEADER = 4

export type StoredFeatures = {
  readonly firstPart: number
  readonly parts: number
  readonly features: Features
}

const bytesOf = (values: Float32Array | Uint16Array | Uint32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** Encodes the features of whole parts of a piece. */
export const encodeFeatures = (firstPart: number, { levels, flux, envelope, peaks }: Features): Uint8Array => {
  const { counts, pitches, strengths } = peaks
  const header = Uint32Array.of(VERSION, firstPart, counts.length, pitches.length)
  return Buffer.concat([header, levels, flux, envelope, pitches, strengths, counts].map(bytesOf))
}

/** Decodes a features file; undefined if it is invalid. */
export const decodeFeatures = (bytes: Uint8Array): StoredFeatures | undefined => {
  if (bytes.length < HEADER * 4) return undefined
  // A copy, since typed arrays must be aligned to the size of their elements. (slice of a Buffer is no copy.)
  const { buffer } = new Uint8Array(bytes)
  const [version, firstPart = 0, parts = 0, peaks = 0] = new Uint32Array(buffer, 0, HEADER)
  const floats = parts * (framesPerPart * (BANDS + fluxGroups) + envelopePerPart) + 2 * peaks
  if (version !== VERSION || bytes.length !== (HEADER + floats) * 4 + parts * 2) return undefined
  let at = HEADER * 4
  const take = (count: number) => {
    at += count * 4
    return new Float32Array(buffer, at - count * 4, count)
  }
  const levels = take(parts * framesPerPart * BANDS)
  const flux = take(parts * framesPerPart * fluxGroups)
  const envelope = take(parts * envelopePerPart)
  const [pitches, strengths, counts] = [take(peaks), take(peaks), new Uint16Array(buffer, at, parts)]
  return { firstPart, parts, features: { levels, flux, envelope, peaks: { counts, pitches, strengths } } }
}
