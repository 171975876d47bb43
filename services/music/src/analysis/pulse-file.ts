import { createHash } from 'node:crypto'
import { evidenceWeights } from './beat-evidence.ts'
import { beatLengths, changeCosts } from './beat-lengths.ts'
import { beatNetworkWeights } from './beat-network-weights.ts'
import { beatsPerBar, metres } from './metres.ts'
import { decodePulse, type FindPulse, type Pulse, type PulseEvidence } from './pulse.ts'

/**
 * Version of the network's inputs and of the bar pointer: increase it if they find other beats in the same sound. Weights, metres and
 * tempi are part of the fingerprint, so their changes need no new version.
 */
const VERSION = 9

/** Bytes of a fingerprint, and of the two 32-bit integers after it. */
const FINGERPRINT = 32
const HEADER = FINGERPRINT + 8
/** Instead of the ordinal of a metre: there is no pulse. */
const NONE = 0xffffffff

/** The largest file: of 500 beats a minute for an hour. */
export const maxPulseBytes = HEADER + 8 * 500 * 60

const bytesOf = (values: ArrayBufferView): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const parameters = JSON.stringify([VERSION, metres, beatsPerBar, evidenceWeights, changeCosts, beatNetworkWeights])

/** A digest of everything that determines the pulse. */
const fingerprintOf = ({ spectral, flux, chroma, firstSound }: PulseEvidence): Buffer => {
  const hash = createHash('sha256').update(parameters)
  const { counts, lengths, costs } = beatLengths
  const sizes = Uint32Array.of(spectral.frames, chroma.frames, firstSound)
  for (const values of [counts, lengths, costs, sizes, spectral.levels, flux, chroma.values])
    hash.update(bytesOf(values))
  return hash.digest()
}

/**
 * Format of a pulse file: a fingerprint, the ordinal of the metre and the number of beats as 32-bit integers, the frames of the beats
 * as such, then how likely each begins a bar as 32-bit floats, little-endian. A file with another fingerprint is that of another
 * sound or version, and is not used.
 */
const encodePulse = (fingerprint: Uint8Array, pulse: Pulse | undefined): Uint8Array => {
  const { frames, downbeats } = pulse ?? { frames: [], downbeats: [] }
  const metre = pulse ? metres.indexOf(pulse.metre) : NONE
  const integers = Uint32Array.of(metre, frames.length, ...frames)
  return Buffer.concat([fingerprint, bytesOf(integers), bytesOf(Float32Array.from(downbeats))])
}

/** Decodes a pulse file whose fingerprint is known to be right; null if it is invalid. */
const decodePulseFile = (bytes: Uint8Array): Pulse | undefined | null => {
  if (bytes.length < HEADER || bytes.length % 4 > 0) return null
  // A copy, since typed arrays must be aligned to the size of their elements. (slice of a Buffer is no copy.)
  const { buffer } = new Uint8Array(bytes.subarray(FINGERPRINT))
  const [ordinal = 0, count = 0] = new Uint32Array(buffer, 0, 2)
  if (bytes.length !== HEADER + 8 * count) return null
  if (ordinal === NONE) return undefined
  const metre = metres[ordinal]
  const frames = [...new Uint32Array(buffer, 8, count)]
  return metre ? { metre, frames, downbeats: [...new Float32Array(buffer, 8 + 4 * count, count)] } : null
}

/** Pulses that earlier analyses have stored. */
export type StoredPulses = {
  /** Returns the stored pulse of the same evidence, else decodes it. */
  readonly find: FindPulse
  /** The file of the last pulse that was found; undefined if none was needed. */
  readonly encoded: () => Uint8Array | undefined
}

/** Offers the pulses of some files. Files of other sounds, of other versions or incomplete ones are ignored. */
export const storedPulses = (files: readonly Uint8Array[]): StoredPulses => {
  let encoded: Uint8Array | undefined
  const read = (fingerprint: Buffer): Pulse | undefined | null => {
    for (const file of files) {
      const pulse = fingerprint.equals(file.subarray(0, FINGERPRINT)) ? decodePulseFile(file) : null
      if (pulse !== null) return pulse
    }
    return null
  }
  return {
    find(evidence) {
      const fingerprint = fingerprintOf(evidence)
      const stored = read(fingerprint)
      const pulse = stored === null ? decodePulse(evidence) : stored
      encoded = encodePulse(fingerprint, pulse)
      return pulse
    },
    encoded: () => encoded,
  }
}
