import { clamp, meanOf } from '../dsp/statistics.ts'
import { type BarEvidence, type BarSize, barEvidence, barWeights } from './bar-weights.ts'
import { beatsPerBar, type Metre } from './metres.ts'

/** The bars of a piece, with their doubts. */
export type BarGrid = {
  readonly metre: Metre
  readonly beatsPerBar: BarSize
  /** The most likely position of each beat in its bar; 0 is the downbeat. */
  readonly positions: readonly number[]
  /** For each beat how likely (0..1) it is at each position of its bar: rows of BEATS_PER_BAR values. */
  readonly likely: Float32Array
}

/**
 * Evidence at each beat: how loud the sounds are that enter there, of all kinds, of kick and bass, bright ones, and those in the range of
 * chords; and how much the harmony changes.
 */
export type BeatAccents = Record<BarEvidence, readonly number[]>

/** Probability that a bar has a beat too many or too few, per beat. */
const slip = 0.002
/** The weights are of what a bar shows on average. Bars of a piece are much alike, so each beat counts by this share of it. */
const trust = 0.2
/** Log odds that a piece begins with a bar rather than within one. */
const beginsWithBar = 2
/** Deviations less than this are of no meaning (standard deviation), and none counts more than a multiple of the standard deviation. */
const minDeviation = 0.08
const mostDeviations = 3

/** Values as multiples of their standard deviation from their mean, so that a small difference counts where it is always the same. */
const standardise = (values: readonly number[]): number[] => {
  const mean = meanOf(values)
  const deviation = Math.max(minDeviation, Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))))
  return values.map((value) => clamp((value - mean) / deviation, -mostDeviations, mostDeviations))
}

/** Evidence of a piece, each kind standardised. */
export const standardiseAccents = (accents: BeatAccents): BeatAccents => ({
  accent: standardise(accents.accent),
  low: standardise(accents.low),
  snare: standardise(accents.snare),
  chords: standardise(accents.chords),
  harmony: standardise(accents.harmony),
})

/** A kind of bar and the position of the first beat in it. */
export type BarPhase = { readonly size: BarSize; readonly first: number }

/** What the weights of bars of a size apply to: the mean of each kind of evidence at each position. */
export const positionMeans = (standard: BeatAccents, { size, first }: BarPhase): number[] =>
  barEvidence.flatMap((kind) =>
    Array.from({ length: size }, (_, position) =>
      meanOf(standard[kind].filter((_, i) => (first + i) % size === position)),
    ),
  )

/** Log odds of bars of a size, at the best position of the first beat, up to a constant that all sizes share. */
const oddsOf = (standard: BeatAccents, size: BarSize): number => {
  const weights = barEvidence.flatMap((kind) => barWeights.positions[size][kind])
  const phases = Array.from({ length: size }, (_, first) => positionMeans(standard, { size, first }))
  const best = Math.max(...phases.map((means) => means.reduce((sum, mean, i) => sum + mean * (weights[i] ?? 0), 0)))
  return best + (size === 3 ? barWeights.triple : 0)
}

/** Metres whose beats are divided alike, so that only the accents of the beats tell one from the other. */
const undecided: readonly Metre[] = ['3/4', '4/4']

/** The metres that a piece may have whose beats were found in `decoded`. */
export const possibleMetres = (decoded: Metre): readonly Metre[] =>
  undecided.includes(decoded) ? undecided : [decoded]

/** These metres with their log odds. */
const oddsOfMetres = (standard: BeatAccents, decoded: Metre): { metre: Metre; odds: number }[] =>
  possibleMetres(decoded).map((metre) => ({
    metre,
    odds: oddsOf(standard, beatsPerBar[metre]) + (metre === decoded ? barWeights.decoded : 0),
  }))

/** How well beats fit bars: the log odds of the best kind. */
export const oddsOfBars = (standard: BeatAccents, decoded: Metre): number =>
  Math.max(...oddsOfMetres(standard, decoded).map(({ odds }) => odds))

/** Log likelihoods of each position in bars of `size` beats at each beat, up to a constant. */
const scoresOf = (standard: BeatAccents, size: BarSize): Float64Array =>
  Float64Array.from({ length: standard.low.length * size }, (_, at) => {
    const [beat, position] = [Math.floor(at / size), at % size]
    return barEvidence.reduce(
      (sum, kind) => sum + trust * (standard[kind][beat] ?? 0) * (barWeights.positions[size][kind][position] ?? 0),
      0,
    )
  })

/** Log odds of a position of the first beat before any evidence. */
const priorOf = (position: number): number => (position === 0 ? beginsWithBar : 0)

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
        let sum = before >= 0 ? 0 : isForward ? Math.exp(priorOf(to)) : 1
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
  let totals = Array.from({ length: size }, (_, position) => (scores[position] ?? 0) + priorOf(position))
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

/**
 * Finds the kind of bars of a piece and the position of each beat in its bar. `decoded` is the metre of the path that has found the beats: the bar
 * pointer expects drums and chords, while this weighs any accent that is regular over the whole piece. A dropped beat shifts only the bars
 * after it.
 */
export const findBars = (accents: BeatAccents, decoded: Metre): BarGrid => {
  const standard = standardiseAccents(accents)
  const { metre } = oddsOfMetres(standard, decoded).reduce((best, other) => (other.odds > best.odds ? other : best))
  const size = beatsPerBar[metre]
  const scores = scoresOf(standard, size)
  return { metre, beatsPerBar: size, positions: bestPositions(scores, size), likely: likelyPositions(scores, size) }
}
