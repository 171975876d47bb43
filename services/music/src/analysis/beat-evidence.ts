import { clamp, quantile } from '../dsp/statistics.ts'
import type { BeatOdds } from './beat-odds.ts'
import { beatsPerBar, metres } from './metres.ts'

/**
 * How much the odds of a beat count, since neighbouring frames and beats are of the same sound; and how much the division in three does, and at
 * most. Chosen on synthesised pieces other than those of the benchmark, and on pieces by other composers.
 */
const weights = { beat: 0.8, ternary: 0.2, mostTernary: 2 }
/** Log odds from which on there is a beat: these where the network is undecided about the piece, and more in proportion to how sure it is. */
const threshold = { undecided: -1.8, bySureness: 0.7, lowest: -3, highest: 0 }
/** Odds beyond these count as these: a network is surer than it should be. */
const mostOdds = 6.9
const leastPosition = 0.02
/** The share of the peaks below the measure of how sure the network is: beats have the higher ones, and what lies between them the lower. */
const lowerPeaks = 0.7

export const evidenceWeights = { weights, threshold, mostOdds, leastPosition, lowerPeaks } as const

/** Frames on either side of a peak of the odds in which none is higher: 0.23 s. */
const peakReach = 20

/** How sure the network is of the beats of a piece. */
const surenessOf = (beat: Float32Array): number =>
  quantile(
    beat.filter((odds, frame) =>
      beat.subarray(Math.max(0, frame - peakReach), frame + peakReach + 1).every((other) => other <= odds),
    ),
    lowerPeaks,
  )

/**
 * The odds from which on a beat is more likely than none. Where the network is sure of most beats, what it doubts lies between them; where
 * it is sure of none, the beats themselves have low odds, and none may be missed.
 */
const thresholdOf = (beat: Float32Array): number =>
  clamp(threshold.undecided + threshold.bySureness * surenessOf(beat), threshold.lowest, threshold.highest)

const probability = (odds: number): number => 1 / (1 + Math.exp(-odds))

/** How well a beat fits each frame, whatever its position in its bar. */
export const beatEvidence = ({ beat }: BeatOdds): Float32Array => {
  const from = thresholdOf(beat)
  return beat.map((odds) => weights.beat * (clamp(odds, -mostOdds, mostOdds) - from))
}

/** How likely a beat in a frame is the first of its bar. */
const shareOfDownbeats = ({ beat, downbeat }: BeatOdds, frame: number): number => {
  const likely = Math.max(1e-3, probability(beat[frame] ?? 0))
  return Math.min(1, probability(downbeat[frame] ?? 0) / likely)
}

/** Log likelihoods that a beat is the first of its bar, and that it is another. */
export const positionFits = (share: number): readonly [first: number, other: number] => [
  Math.log(Math.max(leastPosition, share)),
  Math.log(Math.max(leastPosition, 1 - share)),
]

/** How well a beat at each position of each kind of bar fits each frame, in the order of the metres and their positions. */
export const positionEvidence = (odds: BeatOdds): Float32Array[] => {
  const fits = beatEvidence(odds)
  const [first, other] = [new Float32Array(odds.frames), new Float32Array(odds.frames)]
  for (let frame = 0; frame < odds.frames; frame++) {
    const [asFirst, asOther] = positionFits(shareOfDownbeats(odds, frame))
    first[frame] = (fits[frame] ?? 0) + asFirst
    other[frame] = (fits[frame] ?? 0) + asOther
  }
  const inThree = (values: Float32Array) =>
    values.map((value, frame) => {
      const ternary = clamp(odds.ternary[frame] ?? 0, -weights.mostTernary, weights.mostTernary)
      return value + weights.ternary * ternary
    })
  const [firstInThree, otherInThree] = [inThree(first), inThree(other)]
  return metres.flatMap((metre) =>
    Array.from({ length: beatsPerBar[metre] }, (_, position) =>
      metre === '6/8' ? (position === 0 ? firstInThree : otherInThree) : position === 0 ? first : other,
    ),
  )
}

/** Frames around a beat in which the network may have put it. */
const reach = 3

/** How likely each of the beats (frames) is the first of its bar. */
export const sharesOfDownbeats = (odds: BeatOdds, frames: readonly number[]): number[] =>
  frames.map((frame) => {
    let best = frame
    for (let at = Math.max(0, frame - reach); at <= Math.min(odds.frames - 1, frame + reach); at++)
      if ((odds.beat[at] ?? 0) > (odds.beat[best] ?? 0)) best = at
    return shareOfDownbeats(odds, best)
  })
