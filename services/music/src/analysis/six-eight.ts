import { meanOf } from '../dsp/statistics.ts'
import type { Activations } from './activations.ts'
import { type DecodedBars, decodeBars } from './bar-pointer.ts'
import { tempiAround } from './beat-lengths.ts'
import { pathTempo, reachOf } from './tempo-level.ts'
import { strongest } from './tempo-level-features.ts'

/** Halves of bars are alike from this correlation on: in 3/4 it is mostly below 0, since only the first half has a first beat. */
const minLikeness = 0.4
/** Sounds between the beats are at least this strong if each beat is divided. */
const minDivided = 0.5
/** Added to the squared deviations within a bar, so that the halves of an even one are not alike by chance. */
const smallDeviation = 0.03

/** The usual strength of each half beat of bars of three. */
const usualBar = (curve: Float32Array, { beats }: DecodedBars): number[] =>
  [0, 1, 2].flatMap((position) =>
    [0, 0.5].map((part) =>
      meanOf(
        beats.flatMap(({ frame, position: here }, i) => {
          const next = beats[i + 1]
          return here === position && next ? [strongest(curve, frame + part * (next.frame - frame))] : []
        }),
      ),
    ),
  )

/** How alike the two halves of bars of three divided beats are, by the chords and notes that enter: -1 to 1. */
export const halfBarLikeness = ({ onset, chords }: Activations, found: DecodedBars): number => {
  const sounds = usualBar(onset, found)
  if (meanOf([1, 3, 5].map((part) => sounds[part] ?? 0)) < minDivided) return -1
  const bar = usualBar(chords, found)
  const mean = meanOf(bar)
  let [products, squares] = [0, smallDeviation]
  for (const [i, value] of bar.entries()) {
    products += (value - mean) * ((bar[(i + 3) % 6] ?? 0) - mean)
    squares += (value - mean) ** 2
  }
  return products / squares
}

/**
 * Bars of three divided beats and bars of two beats in three parts are equally long, and their parts, too. The bar pointer weighs each beat by
 * itself; where the second half of the bars is like the first, they are in 6/8.
 */
export const decodeSixEight = (
  found: DecodedBars,
  activations: Activations,
  firstSound: number,
): DecodedBars | undefined => {
  if (found.model.metre !== '3/4' || halfBarLikeness(activations, found) < minLikeness) return undefined
  const bpm = pathTempo(found)
  const range = tempiAround((bpm * 2) / 3, reachOf(found, bpm))
  const other = range && decodeBars(activations, firstSound, range)
  return other?.model.metre === '6/8' ? other : undefined
}
