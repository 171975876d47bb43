import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate, BANDS, type SpectralFrames } from '../analysis/spectral-frames.ts'
import { quantile } from '../dsp/statistics.ts'
import { trackVoicing } from '../dsp/voicing.ts'
import { inaudibleDb, type VoiceTraits, voiceTraits } from './voices.ts'

/** Stretches of a piece that are examined, and their length (s), so that the effort does not grow with the piece. */
const stretches = 6
const stretchSeconds = 8

/**
 * Speech is what meets all of these. Recordings of seven speakers or more in five languages pause for .16 to .50 of the time, have a pitch in .46 to
 * .90 of the rest, hold it in 0 to .21, are in tune to .14 at most, and glide at 9.6 to 33 semitones a second. Synthesised singing is in
 * tune to .56 at least; of 1,100 excerpts of music that were examined, and of singing, none met all limits.
 */
const limits = {
  /** Share of the time with pauses, at least. */
  paused: 0.08,
  voiced: 0.4,
  held: 0.3,
  inTune: 0.2,
  glide: 4.5,
  /** Fewer voices are too few to judge. */
  voices: 12,
}

/** Share (0..1) of the frames that are inaudible beside the loudest tenth. */
const pausedShare = ({ levels, frames }: SpectralFrames): number => {
  const powers = Float64Array.from({ length: frames }, (_, frame) => {
    let power = 0
    for (let band = 0; band < BANDS; band++) power += 10 ** ((levels[frame * BANDS + band] ?? 0) / 10)
    return power
  })
  const floor = quantile(powers, 0.9) * 10 ** (-inaudibleDb / 10)
  return powers.filter((power) => power <= floor).length / Math.max(1, frames)
}

/** Samples from all parts of a piece, evenly spread. */
const examined = async (mono: MonoPiece): Promise<Float32Array> => {
  const length = stretchSeconds * analysisRate
  if (mono.samples <= stretches * length) return mono.read(0, mono.samples)
  const samples = new Float32Array(stretches * length)
  for (let index = 0; index < stretches; index++) {
    const from = Math.round((index * (mono.samples - length)) / (stretches - 1))
    samples.set(await mono.read(from, from + length), index * length)
  }
  return samples
}

const isSpoken = ({ count, voiced, held, inTune, glide }: VoiceTraits): boolean =>
  count >= limits.voices &&
  voiced >= limits.voiced &&
  held <= limits.held &&
  inTune <= limits.inTune &&
  glide >= limits.glide

/**
 * Whether a piece is speech and nothing else. Speech with music is music. To refuse music would be worse than to recombine
 * speech, so what is in doubt is music, such as tone languages that are spoken slowly.
 */
export const isSpeech = async (mono: MonoPiece, spectral: SpectralFrames): Promise<boolean> =>
  pausedShare(spectral) >= limits.paused && isSpoken(voiceTraits(trackVoicing(await examined(mono), analysisRate)))
