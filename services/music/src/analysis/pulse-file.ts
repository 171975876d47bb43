import { createHash } from 'node:crypto'
import { barWeights } from './bar-weights.ts'
import { evidenceWeights } from './beat-evidence.ts'
import { beatLengths, changeCosts } from './beat-lengths.ts'
import { beatPhaseWeights } from './beat-phase-weights.ts'
import { barModels, beatsPerBar, divisions } from './metres.ts'
import { decodePulse, type FindPulse, type Pulse, type PulseEvidence } from './pulse.ts'
import { relatedTempoWeights } from './related-tempo-weights.ts'
import { tempoLevelWeights } from './tempo-level-weights.ts'

/**
 * Version of the bar pointer: increase it if it finds other beats in the same evidence. Weights, templates and tempi are part of
 * the fingerprint, so their changes need no new version.
 */
const VERSION = 8

/** Bytes of a fingerprint, and of the two 32-bit integers after it. */
const FINGERPRINT = 32
const HEADER = FINGERPRINT + 8
/** Instead of the ordinal of a bar model: there is no pulse. */
const NONE = 0xffffffff

/** The largest file: of 500 beats a minute for an hour. */
export const maxPulseBytes = HEADER + 4 * 500 * 60

const bytesOf = (values: ArrayBufferView): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const parameters = JSON.stringify([
  VERSION,
  barModels,
  beatsPerBar,
  divisions,
  evidenceWeights,
  changeCosts,
  barWeights,
  tempoLevelWeights,
  relatedTempoWeights,
  beatPhaseWeights,
])

/** A digest of everything that determines the pulse. */
const fingerprintOf = ({ activations, chroma, firstSound }: PulseEvidence): Buffer => {
  const { frames, onset, accent, low, snare, chords, harmony } = activations
  const hash = createHash('sha256').update(parameters)
  const { counts, lengths, costs } = beatLengths
  const evidence = [onset, accent, low, snare, chords, harmony, chroma.values]
  for (const values of [counts, lengths, costs, Uint32Array.of(frames, firstSound), ...evidence])
    hash.update(bytesOf(values))
  return hash.digest()
}

/**
 * Format of a pulse file: a fingerprint, the ordinal of the bar model and the number of beats as 32-bit integers, then the frames
 * of the beats as such, little-endian. A file with another fingerprint is that of another sound or version, and is not used.
 */
const encodePulse = (fingerprint: Uint8Array, pulse: Pulse | undefined): Uint8Array => {
  const frames = pulse?.frames ?? []
  const model = pulse ? barModels.indexOf(pulse.model) : NONE
  return Buffer.concat([fingerprint, bytesOf(Uint32Array.of(model, frames.length, ...frames))])
}

/** Decodes a pulse file whose fingerprint is known to be right; null if it is invalid. */
const decodePulseFile = (bytes: Uint8Array): Pulse | undefined | null => {
  // A copy, since typed arrays must be aligned to the size of their elements. (slice of a Buffer is no copy.)
  const { buffer } = new Uint8Array(bytes.subarray(FINGERPRINT, bytes.length - (bytes.length % 4)))
  const [ordinal = 0, count = 0, ...frames] = new Uint32Array(buffer)
  if (bytes.length !== HEADER + 4 * count) return null
  if (ordinal === NONE) return undefined
  const model = barModels[ordinal]
  return model ? { model, frames } : null
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
