import { type Activations, activationsOf } from './activations.ts'
import { envelopeLevels } from './attack-envelope.ts'
import { type BarGrid, findBars } from './bars.ts'
import { accentsOf } from './beat-accents.ts'
import { beatPosteriors } from './beat-posteriors.ts'
import { audibleRange, beatAttack, extendBeats, tempoOf } from './beats.ts'
import { type ChromaFrames, chromaHop, findPeaks } from './chroma.ts'
import { clarityOf } from './clarity.ts'
import { measureBands, type Sound, soundOf } from './features.ts'
import { estimateKey, type Key } from './key.ts'
import { barModels } from './metres.ts'
import { onsetStrength } from './onset-strength.ts'
import { decodePulse } from './pulse.ts'
import { snapToAttacks } from './snap.ts'
import { HOP, type SpectralFrames } from './spectral-frames.ts'

/** Musical analysis of a piece, at the analysis rate. */
export type Analysis = {
  /** Samples at ANALYSIS_RATE. */
  readonly samples: number
  readonly spectral: SpectralFrames
  readonly onsets: Float32Array
  readonly chroma: ChromaFrames
  /** Beat times in samples at ANALYSIS_RATE, ascending, over the whole piece; empty without a pulse. */
  readonly beats: readonly number[]
  /** Computes how likely (0..1) each of them is a beat; 0 where it was extrapolated over silence. It takes as long as all the rest. */
  readonly likely: () => readonly number[]
  readonly bars: BarGrid
  /** Null without a clear pulse. */
  readonly bpm: number | null
  readonly key: Key | null
  /** How periodic the onsets are, 0 to 1. */
  readonly clarity: number
}

/**
 * Below these a tempo is a guess: white and filtered noise have an attack of 0.14 to 0.2 and a clarity of at most 0.04, as has a slow
 * pad, rubato strings 0.38 and 0.16, jazz 2.2 and 0.3.
 */
const minAttack = 0.3
const minClarity = 0.06
/** A pulse needs this many beats, each counted by how likely it is. */
const minBeats = 4
/** Of more beats than this there are always enough, so their probabilities need not be computed. */
const manyBeats = 32

/** The frame in which the sound begins: the first onset. */
export const firstSound = ({ onset }: Activations): number =>
  Math.max(
    0,
    onset.findIndex((value) => value > 0.3),
  )

/** Analyses a sound: onsets, tempo, beats, bars and key. `findPulse` may know its pulse from an earlier analysis. */
export const analyseSound = (
  { samples, spectral, flux, chroma, peaks, attacks }: Sound,
  findPulse = decodePulse,
): Analysis => {
  const onsets = onsetStrength(spectral)
  const activations = activationsOf(flux, spectral, chroma)
  const start = firstSound(activations)
  const pulse = findPulse({ activations, chroma, firstSound: start })
  const model = pulse?.model ?? barModels[0]
  const frames = pulse?.frames ?? []
  const [first, last] = audibleRange(frames, activations.onset)
  const audible = frames.slice(first, last + 1)
  const snapped = snapToAttacks(
    audible.map((frame) => frame * HOP),
    attacks,
  )
  const { beats, before } = audible.length < 2 ? { beats: [], before: 0 } : extendBeats(snapped, samples)
  let probabilities: readonly number[] | undefined
  const likely = (): readonly number[] => {
    if (probabilities) return probabilities
    const posteriors = pulse ? beatPosteriors(activations, model, { frames: audible, firstSound: start }) : []
    probabilities = beats.map((_, i) => posteriors[i - before] ?? 0)
    return probabilities
  }
  const clarity = clarityOf(onsets, beats)
  const hasEnoughBeats = () =>
    beats.length > manyBeats || likely().reduce((sum, probability) => sum + probability, 0) >= minBeats
  const hasPulse = beatAttack(onsets, beats) >= minAttack && clarity >= minClarity && hasEnoughBeats()
  return {
    samples,
    spectral,
    onsets,
    chroma,
    beats,
    likely,
    bars: findBars(accentsOf(chroma, activations, beats), model.metre),
    bpm: hasPulse ? tempoOf(snapped.length > 2 ? snapped : beats) : null,
    key: estimateKey(peaks),
    clarity,
  }
}

/** Measures a mono piece at ANALYSIS_RATE. */
export const listen = (signal: Float32Array): Sound => {
  const frames = (hop: number) => Math.max(1, Math.ceil(signal.length / hop))
  const peaks = findPeaks(signal, 0, frames(chromaHop))
  return soundOf({ ...measureBands(signal, 0, frames(HOP)), peaks, envelope: envelopeLevels(signal) }, signal.length)
}

/** Analyses a mono piece at ANALYSIS_RATE. */
export const analyse = (signal: Float32Array): Analysis => analyseSound(listen(signal))
