import { meanOf } from '../dsp/statistics.ts'
import { positionFits } from './beat-evidence.ts'
import { type BarSize, beatsPerBar, type Metre } from './metres.ts'

/** The bars of a piece, with their doubts. */
export type BarGrid = {
  readonly metre: Metre
  readonly beatsPerBar: BarSize
  /** The most likely position of each beat in its bar; 0 is the downbeat. */
  readonly positions: readonly number[]
  /** For each beat how likely (0..1) it is at each position of its bar: rows of BEATS_PER_BAR values. */
  readonly likely: Float32Array
}

/** Probability that a bar has a beat too many or too few, per beat. */
const slip = 0.002

/** What is known of the beats of a piece before their bars are. */
export type BarEvidence = {
  /** How likely (0..1) each beat is the first of its bar; undefined where that is not known. */
  readonly downbeats: readonly (number | undefined)[]
  /** How much the harmony changes at each beat, in any unit. */
  readonly harmonyChanges: readonly number[]
}

/** Bars of a piece are much alike, so the evidence at each beat counts by this share of it. */
const trust = 0.2
/**
 * Log odds of the first of a bar for each standard deviation by which the harmony changes more than at other beats. The network depends
 * on 24 s; that chords last a bar shows over the whole piece.
 */
const harmonyWeight = 1.1
/** Deviations from the mean below this share of it are of no meaning: with a chord or none, harmonies only seem to change. */
const leastDeviation = 0.15
/** Log odds that a piece begins with a bar, at its first known beat, rather than within one. */
const beginsWithBar = 2

/** By how many standard deviations the harmony changes more at each beat than at others. */
const standardised = ({ downbeats, harmonyChanges }: BarEvidence): number[] => {
  const known = harmonyChanges.filter((_, beat) => downbeats[beat] !== undefined)
  const mean = meanOf(known)
  const deviation = Math.sqrt(meanOf(known.map((change) => (change - mean) ** 2)))
  return harmonyChanges.map((change) => (change - mean) / Math.max(deviation, leastDeviation * mean, 1e-6))
}

/** Log likelihoods of each position in bars of `size` beats at each beat, up to a constant. */
const scoresOf = (evidence: BarEvidence, size: BarSize): Float64Array => {
  const scores = new Float64Array(evidence.downbeats.length * size)
  const changes = standardised(evidence)
  const firstKnown = evidence.downbeats.findIndex((share) => share !== undefined)
  for (const [beat, share] of evidence.downbeats.entries()) {
    if (share === undefined) continue
    const [first, other] = positionFits(share)
    scores.fill(trust * other, beat * size, (beat + 1) * size)
    scores[beat * size] =
      trust * (first + harmonyWeight * (changes[beat] ?? 0)) + (beat === firstKnown ? beginsWithBar : 0)
  }
  return scores
}

/** Positions by the usual order, with a small chance of any other. */
const transition = (size: number) => (from: number, to: number) =>
  to === (from + 1) % size ? 1 - slip : slip / (size - 1)

/** Probabilities of each position at each beat, by the evidence of all beats (forward and backward). */
const likelyPositions = (scores: Float64Array, size: number): Float32Array => {
  const count = scores.length / size
  const follows = transition(size)
  const weight = (beat: number, position: number) => Math.exp(scores[beat * size + position] ?? 0)
  const pass = (order: (step: number) => number, isForward: boolean): Float64Array => {
    const result = new Float64Array(count * size)
    for (let step = 0; step < count; step++) {
      const [beat, before] = [order(step), step > 0 ? order(step - 1) : -1]
      let total = 0
      for (let to = 0; to < size; to++) {
        let sum = before >= 0 ? 0 : 1
        for (let from = 0; before >= 0 && from < size; from++) {
          const share = isForward ? follows(from, to) : follows(to, from) * weight(before, from)
          sum += share * (result[before * size + from] ?? 0)
        }
        const value = isForward ? sum * weight(beat, to) : sum
        result[beat * size + to] = value
        total += value
      }
      for (let to = 0; to < size; to++) result[beat * size + to] = (result[beat * size + to] ?? 0) / total
    }
    return result
  }
  const forward = pass((step) => step, true)
  const backward = pass((step) => count - 1 - step, false)
  const likely = new Float32Array(count * size)
  for (let beat = 0; beat < count; beat++) {
    let total = 0
    for (let i = beat * size; i < (beat + 1) * size; i++) total += (forward[i] ?? 0) * (backward[i] ?? 0)
    for (let i = beat * size; i < (beat + 1) * size; i++)
      likely[i] = total > 0 ? ((forward[i] ?? 0) * (backward[i] ?? 0)) / total : 1 / size
  }
  return likely
}

/** The most likely sequence of positions (Viterbi). */
const bestPositions = (scores: Float64Array, size: number): number[] => {
  const count = scores.length / size
  const follows = transition(size)
  const origins: number[][] = []
  let totals = Array.from(scores.subarray(0, size))
  for (let beat = 1; beat < count; beat++) {
    const origin = totals.map((_, to) => {
      const values = totals.map((total, from) => total + Math.log(follows(from, to)))
      return values.indexOf(Math.max(...values))
    })
    totals = origin.map(
      (from, to) => (totals[from] ?? 0) + Math.log(follows(from, to)) + (scores[beat * size + to] ?? 0),
    )
    origins.push(origin)
  }
  const positions = [totals.indexOf(Math.max(...totals))]
  for (const origin of origins.reverse()) positions.push(origin[positions.at(-1) ?? 0] ?? 0)
  return count === 0 ? [] : positions.reverse()
}

/** Finds the position of each beat in its bar. A dropped beat shifts only the bars after it. */
export const findBars = (evidence: BarEvidence, metre: Metre): BarGrid => {
  const size = beatsPerBar[metre]
  const scores = scoresOf(evidence, size)
  return { metre, beatsPerBar: size, positions: bestPositions(scores, size), likely: likelyPositions(scores, size) }
}
