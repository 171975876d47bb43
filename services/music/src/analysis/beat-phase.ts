import { meanOf } from '../dsp/statistics.ts'
import type { Activations } from './activations.ts'
import type { DecodedBars } from './bar-pointer.ts'
import { oddsOfBars, possibleMetres, standardiseAccents } from './bars.ts'
import { accentsOf } from './beat-accents.ts'
import { beatPhaseWeights } from './beat-phase-weights.ts'
import { choosePath } from './choose-path.ts'
import type { ChromaFrames } from './chroma.ts'
import { beatsPerBar, type divisions } from './metres.ts'
import { HOP } from './spectral-frames.ts'
import { meanWithin, phaseMeans, strongest } from './tempo-level-features.ts'

/** Where the beats may be instead: shares of a beat later. With swing, the notes between the beats are at two thirds. */
const shifts: Record<keyof typeof divisions, readonly number[]> = {
  halves: [1 / 2],
  swung: [1 / 3, 1 / 2],
  thirds: [1 / 3, 2 / 3],
}

/** The beats are retained unless the log odds against them are at least this. */
const minOdds = 0.1

/** Fewer beats fit bars by chance. */
const minBeats = 10

/** A path, and the same between its beats. */
export const pathsBetweenBeats = (found: DecodedBars): [DecodedBars, ...DecodedBars[]] => {
  const { beats, model } = found
  if (beats.length <= minBeats) return [found]
  const shifted = shifts[model.division].map((shift) => ({
    ...found,
    beats: beats.slice(0, -1).map((beat, i) => {
      const next = beats[i + 1]?.frame ?? beat.frame
      return { ...beat, frame: Math.round(beat.frame + shift * (next - beat.frame)) }
    }),
  }))
  return [found, ...shifted]
}

/**
 * By how much less begins at two thirds of beats than at one third, as a negative number: 0 where long and short notes alternate or all
 * parts sound. Shuffles and jigs have the short note after the long one.
 */
const reversedLilt = ({ onset }: Activations, { beats, model }: DecodedBars): number => {
  if (model.division === 'halves') return 0
  const frames = beats.map(({ frame }) => frame)
  const [third = 0, twoThirds = 0] = [1 / 3, 2 / 3].map((share) => meanWithin(onset, frames, share))
  return Math.min(0, twoThirds - third)
}

/**
 * Features of a path that tell whether its beats are those of the piece and not between them: how well they fit bars, how much the harmony
 * changes at the beat of bars where it changes most, and the sounds that begin at the beats. A change of harmony counts as such, not relative to
 * the usual one of the piece, since that of clicks and drums is of no meaning and small. A sound counts by how clearly it begins or by how loud
 * it is: an open hat between the beats is clearer than a kick on them, and chords between them are louder than a bass. The last feature is a short
 * note that comes before the long one.
 */
export const beatPhaseFeatures = (activations: Activations, chroma: ChromaFrames, path: DecodedBars): number[] => {
  const { beats, model } = path
  const { onset, accent } = activations
  const accents = accentsOf(
    chroma,
    activations,
    beats.map(({ frame }) => frame * HOP),
  )
  const changes = accents.harmony.slice(1)
  return [
    oddsOfBars(standardiseAccents(accents), model.metre),
    Math.max(...possibleMetres(model.metre).flatMap((metre) => phaseMeans(changes, beatsPerBar[metre]))),
    meanOf(beats.map(({ frame }) => Math.max(strongest(onset, frame), strongest(accent, frame)))),
    reversedLilt(activations, path),
  ]
}

/**
 * Moves the beats of a path between them where bars and harmony speak for that: in a bossa nova or a barcarolle the bar pointer takes the
 * accents between the beats for the beats. `bench/train-beat-phase.ts` has fitted the model.
 */
export const decodeBeatPhase = (found: DecodedBars, activations: Activations, chroma: ChromaFrames): DecodedBars => {
  const paths = pathsBetweenBeats(found)
  const features = paths.map((path) => beatPhaseFeatures(activations, chroma, path))
  return choosePath(paths, features, beatPhaseWeights, minOdds)
}
