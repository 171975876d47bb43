import { meanOf } from '../dsp/statistics.ts'
import type { Activations } from './activations.ts'
import type { DecodedBars } from './bar-pointer.ts'
import { oddsOfBars, standardiseAccents } from './bars.ts'
import { accentsOf } from './beat-accents.ts'
import { beatPhaseWeights } from './beat-phase-weights.ts'
import type { ChromaFrames } from './chroma.ts'
import { beatsPerBar, type divisions, type Metre } from './metres.ts'
import { HOP } from './spectral-frames.ts'
import { phaseMeans, strongest } from './tempo-level-features.ts'

/** Where the beats may be instead: shares of a beat later. */
const shifts: Record<keyof typeof divisions, readonly number[]> = {
  halves: [1 / 2],
  swung: [1 / 3, 1 / 2],
  thirds: [1 / 3, 2 / 3],
}

/** The beats are retained unless the log odds against them are at least this. */
const minOdds = 0.2

/** Fewer beats fit bars by chance. */
const minBeats = 10

/** A path, and the same between its beats. */
export const pathsBetweenBeats = (found: DecodedBars): [DecodedBars, ...DecodedBars[]] => {
  const { beats, model } = found
  if (beats.length <= minBeats) return [found]
  const shifted = shifts[model.division].map((shift) => ({
    ...found,
    beats: beats.slice(1).map(({ frame }, i) => {
      const beat = beats[i] ?? { frame, tempo: 0, position: 0 }
      return { ...beat, frame: Math.round(beat.frame + shift * (frame - beat.frame)) }
    }),
  }))
  return [found, ...shifted]
}

/** The metres that are told apart by accents alone have bars of three and of four beats. */
const barSizes = (metre: Metre): readonly number[] => (metre === '6/8' ? [beatsPerBar['6/8']] : [3, 4])

/**
 * Features of a path that tell whether its beats are those of the piece and not between them: how well they fit bars, how much the harmony
 * changes at the beat of bars where it changes most, and the onsets at the beats. A change of harmony counts as such, not relative to the
 * usual one of the piece, since that of clicks and drums is of no meaning and small.
 */
export const beatPhaseFeatures = (
  activations: Activations,
  chroma: ChromaFrames,
  { beats, model }: DecodedBars,
): number[] => {
  const accents = accentsOf(
    chroma,
    activations,
    beats.map(({ frame }) => frame * HOP),
  )
  const changes = accents.harmony.slice(1)
  return [
    oddsOfBars(standardiseAccents(accents), model.metre),
    Math.max(...barSizes(model.metre).flatMap((size) => phaseMeans(changes, size))),
    meanOf(beats.map(({ frame }) => strongest(activations.onset, frame))),
  ]
}

/**
 * Moves the beats of a path between them where bars and harmony speak for that: in a bossa nova or a barcarolle the bar pointer takes the
 * accents between the beats for the beats. `bench/train-beat-phase.ts` has fitted the model.
 */
export const decodeBeatPhase = (found: DecodedBars, activations: Activations, chroma: ChromaFrames): DecodedBars => {
  const paths = pathsBetweenBeats(found)
  if (paths.length === 1) return found
  const odds = paths.map((path) =>
    beatPhaseFeatures(activations, chroma, path).reduce((sum, value, i) => sum + value * (beatPhaseWeights[i] ?? 0), 0),
  )
  const best = odds.indexOf(Math.max(...odds))
  return (odds[best] ?? 0) - (odds[0] ?? 0) >= minOdds ? (paths[best] ?? found) : found
}
