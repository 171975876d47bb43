import type { Activations } from './activations.ts'
import { type DecodedBars, decodeBars } from './bar-pointer.ts'
import { tempiAround } from './beat-lengths.ts'
import { choosePath } from './choose-path.ts'
import type { ChromaFrames } from './chroma.ts'
import { relatedTempoFeatures } from './related-tempo-features.ts'
import { relatedTempoWeights } from './related-tempo-weights.ts'
import { pathTempo, reachOf } from './tempo-level.ts'

/** Other tempi that the same sounds may have, relative to the one that was found. */
const ratios = [1 / 3, 1 / 2, 2 / 3, 3 / 2, 2, 3]
/** How far a path may move from two thirds or three halves of the tempo (octaves): half and twice the tempo are .41 away from them. */
const reach = 0.2

/** The first path is retained unless the log odds against it are at least this. */
const minOdds = 1

/** Fewer beats fit bars, and harmonies of few beats are alike, by chance. */
const minBeats = 10

/** A path and the best ones at related tempi, as far as there are such with enough beats. */
export const pathsAtRelatedTempi = (
  found: DecodedBars,
  activations: Activations,
  firstSound: number,
): [DecodedBars, ...DecodedBars[]] => {
  const bpm = pathTempo(found)
  const moves = reachOf(found, bpm)
  const others = ratios.flatMap((ratio) => {
    const isOctave = ratio === 1 / 2 || ratio === 2
    const range = tempiAround(bpm * ratio, isOctave ? moves : Math.min(reach, moves))
    const path = range && decodeBars(activations, firstSound, range)
    return path && path.beats.length >= minBeats ? path : []
  })
  return [found, ...others]
}

/** What tells the paths apart: the last feature is which of them was found first. */
export const featuresOfPaths = (
  paths: readonly DecodedBars[],
  activations: Activations,
  chroma: ChromaFrames,
): number[][] => paths.map((path, i) => [...relatedTempoFeatures(activations, chroma, path), i === 0 ? 1 : 0])

/**
 * Chooses between a path and those at related tempi by what is known only once there is a pulse: how well its beats fit bars, how often the
 * harmony changes, and after how many beats it returns. `bench/train-related-tempi.ts` has fitted the model.
 */
export const decodeRelatedTempo = (
  found: DecodedBars,
  activations: Activations,
  chroma: ChromaFrames,
  firstSound: number,
): DecodedBars => {
  const paths = pathsAtRelatedTempi(found, activations, firstSound)
  return choosePath(paths, featuresOfPaths(paths, activations, chroma), relatedTempoWeights, minOdds)
}
