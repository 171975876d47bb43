import { clamp, meanOf } from '../dsp/statistics.ts'
import { type BarModel, beatsPerBar, type Metre } from './metres.ts'

/** The bars of a piece, with their doubts. */
export type BarGrid = {
  readonly metre: Metre
  readonly beatsPerBar: 2 | 3 | 4
  /** The most likely position of each beat in its bar; 0 is the downbeat. */
  readonly positions: readonly number[]
  /** For each beat how likely (0..1) it is at each position of its bar: rows of BEATS_PER_BAR values. */
  readonly likely: Float32Array
}

/** Evidence at each beat: how strongly kick and bass, the snare, and chords begin there, and how much the harmony changes. */
export type BeatAccents = {
  readonly low: readonly number[]
  readonly snare: readonly number[]
  readonly chords: readonly number[]
  readonly harmony: readonly number[]
}

const weights = { low: 0.7, snare: 0.6, chords: 0.8, harmony: 1.2 }
/** Probability that a bar has a beat too many or too few, per beat. */
const slip = 0.002
/** Evidence is clipped at this multiple of its mean. */
const most = 3

const normalise = (values: readonly number[]): number[] => {
  const mean = meanOf(values)
  return values.map((value) => (mean > 0 ? clamp(value / mean, 0, most) : 0))
}

const contrastOf = (values: readonly number[]): number[] => values.map((value) => value - meanOf(values))

/** Log likelihoods of each position at each beat, up to a constant. */
const scoresOf = (accents: BeatAccents, model: BarModel, count: number): Float64Array => {
  const kinds = (['low', 'snare', 'chords', 'harmony'] as const).map((kind) => ({
    values: normalise(accents[kind]),
    contrast: contrastOf(model[kind]),
    weight: weights[kind],
  }))
  const size = beatsPerBar[model.metre]
  return Float64Array.from({ length: count * size }, (_, at) => {
    const [beat, position] = [Math.floor(at / size), at % size]
    return kinds.reduce(
      (sum, { values, contrast, weight }) => sum + weight * (values[beat] ?? 0) * (contrast[position] ?? 0),
      0,
    )
  })
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
        let sum = before < 0 ? 1 : 0
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
  let totals = Array.from({ length: size }, (_, position) => scores[position] ?? 0)
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

/** Finds the position of each beat in its bar, for a known kind of bar. A dropped beat shifts only the bars after it. */
export const findBars = (accents: BeatAccents, model: BarModel): BarGrid => {
  const size = beatsPerBar[model.metre]
  const scores = scoresOf(accents, model, accents.low.length)
  return {
    metre: model.metre,
    beatsPerBar: size,
    positions: bestPositions(scores, size),
    likely: likelyPositions(scores, size),
  }
}
