import type { Activations } from './activations.ts'
import { type DecodedBars, decodeBars } from './bar-pointer.ts'
import { bpmOf, tempiAround } from './beat-lengths.ts'
import { tempoOf } from './beats.ts'
import { frameRate, HOP } from './spectral-frames.ts'
import { type TempoPair, tempoLevelFeatures } from './tempo-level-features.ts'
import { tempoLevelWeights } from './tempo-level-weights.ts'

/**
 * How much farther a path may move from half or twice the first tempo than the first path moves from that tempo, and how far at most
 * (octaves). Two thirds and three halves of the first tempo are .41 octaves from its half and its double: they are other divisions.
 */
const reach = { margin: 0.09, max: 0.34 }
/** The first tempo is retained unless the log odds against it are at least this. */
const minOdds = 0.5

/** The bars at another level of tempo, and which of both is the tempo. */
export type Alternative = {
  readonly found: DecodedBars
  readonly pair: TempoPair
  readonly isFaster: boolean
}

/** The tempo of a path (bpm). */
export const pathTempo = ({ beats }: DecodedBars): number => tempoOf(beats.map(({ frame }) => frame * HOP)) ?? 0

/** How far the tempo of a path moves from `bpm`, and may move at another level (octaves). */
export const reachOf = ({ beats }: DecodedBars, bpm: number): number =>
  Math.min(reach.max, reach.margin + Math.max(...beats.map(({ tempo }) => Math.abs(Math.log2(bpmOf(tempo) / bpm)))))

/** The beats and a beat between each two. */
const withMiddles = (frames: readonly number[]): number[] =>
  frames.flatMap((frame, i) => (i + 1 < frames.length ? [frame, (frame + (frames[i + 1] ?? 0)) / 2] : [frame]))

/** The best paths at half and at twice the tempo of the best of all, as far as there are such. */
export const alternativesTo = (found: DecodedBars, activations: Activations, firstSound: number): Alternative[] => {
  const bpm = pathTempo(found)
  const frames = found.beats.map(({ frame }) => frame)
  const seconds = activations.frames / frameRate
  return [0.5, 2].flatMap((ratio) => {
    const range = tempiAround(bpm * ratio, reachOf(found, bpm))
    const other = range && decodeBars(activations, firstSound, range)
    if (!other) return []
    const isFaster = ratio > 1
    const pair = {
      beats: isFaster ? withMiddles(frames) : frames,
      bpm: isFaster ? 2 * bpm : bpm,
      advantage: (isFaster ? other.score - found.score : found.score - other.score) / seconds,
    }
    return [{ found: other, pair, isFaster }]
  })
}

/** Log odds that the faster of two pulses is the tempo. */
const oddsOfFaster = (features: readonly number[]): number =>
  features.reduce((sum, value, i) => sum + value * (tempoLevelWeights.weights[i] ?? 0), tempoLevelWeights.bias)

/**
 * Finds the bars of a piece at the level of tempo that its whole length supports. The bar pointer compares what sounds within a beat; how
 * often the harmony changes and how bass and kick repeat is known only once there is a pulse. So half and twice its tempo are compared
 * with it by a logistic model of both, which `bench/train-tempo-level.ts` has fitted.
 */
export const decodeTempoLevel = (activations: Activations, firstSound: number): DecodedBars | undefined => {
  const found = decodeBars(activations, firstSound)
  if (!found) return undefined
  const [best] = alternativesTo(found, activations, firstSound)
    .map(({ found, pair, isFaster }) => {
      const odds = oddsOfFaster(tempoLevelFeatures(activations, pair))
      return { found, odds: isFaster ? odds : -odds }
    })
    .sort((a, b) => b.odds - a.odds)
  return best && best.odds >= minOdds ? best.found : found
}
