import { smoothFrames } from '../dsp/statistics.ts'
import { FRAME_RATE } from './spectral-frames.ts'

/** Tempi that are looked for, in beats per minute. */
const SLOWEST = 40
const FASTEST = 240
/** Candidate tempi, equally spaced on a log scale (1.2 % apart). */
const CANDIDATES = 150
/** Where people tap most readily, and how many octaves around it (one standard deviation). */
const PREFERRED_BPM = 105
const PREFERENCE_OCTAVES = 0.8
/** Length of a local estimate and the step between them, in seconds. */
const WINDOW_SECONDS = 8
const STEP_SECONDS = 1
/** How loosely players keep time (one standard deviation, s); periods are compared no more sharply than that. */
const TIMING_LOOSENESS = 0.02
/** Cost of a change of tempo by one octave from one local estimate to the next. */
const CHANGE_COST = 6

/** The beat period over time. */
export interface TempoCurve {
  /** Frames per beat at a frame. */
  periodAt(frame: number): number
  /** How periodic the piece is, 0 (not at all) to 1 (a machine). */
  readonly clarity: number
}

const candidateBpm = (index: number): number => SLOWEST * (FASTEST / SLOWEST) ** (index / (CANDIDATES - 1))
const periodOf = (bpm: number): number => (60 * FRAME_RATE) / bpm
const LONGEST_LAG = Math.ceil(periodOf(SLOWEST) * 4) + 2

/** Autocorrelation of a stretch with its mean taken off, normalised to 1 at lag 0; unbiased by length. */
const autocorrelation = (strength: Float32Array, from: number, to: number): Float64Array => {
  const result = new Float64Array(LONGEST_LAG)
  let mean = 0
  for (let i = from; i < to; i++) mean += strength[i] ?? 0
  mean /= Math.max(1, to - from)
  const centred = Float64Array.from({ length: to - from }, (_, i) => (strength[from + i] ?? 0) - mean)
  for (let lag = 0; lag < Math.min(LONGEST_LAG, centred.length - 4); lag++) {
    let sum = 0
    for (let i = lag; i < centred.length; i++) sum += (centred[i] ?? 0) * (centred[i - lag] ?? 0)
    result[lag] = sum / (centred.length - lag)
  }
  const power = result[0] ?? 0
  return power > 0 ? result.map((value) => value / power) : result
}

const interpolate = (values: Float64Array, at: number): number => {
  const below = Math.floor(at)
  const share = at - below
  return (values[below] ?? 0) * (1 - share) + (values[below + 1] ?? 0) * share
}

/** How well a period explains a stretch: its own lag and its multiples, each weighted less. */
const COMB: readonly (readonly [multiple: number, weight: number])[] = [
  [1, 0.45],
  [2, 0.3],
  [3, 0.1],
  [4, 0.15],
]

const preference = (bpm: number): number => Math.exp(-0.5 * (Math.log2(bpm / PREFERRED_BPM) / PREFERENCE_OCTAVES) ** 2)

/** Scores of all candidate tempi in one stretch; the comb alone and weighted by preference. */
const scoreTempi = (correlation: Float64Array): { comb: Float64Array; score: Float64Array } => {
  const comb = Float64Array.from({ length: CANDIDATES }, (_, index) => {
    const period = periodOf(candidateBpm(index))
    return COMB.reduce((sum, [multiple, weight]) => sum + weight * interpolate(correlation, period * multiple), 0)
  })
  return { comb, score: comb.map((value, index) => Math.max(0, value) * preference(candidateBpm(index))) }
}

/** The smoothest best path through local scores: one candidate per stretch (Viterbi). */
const smoothestPath = (scores: readonly Float64Array[]): number[] => {
  const octavesPerStep = Math.log2(FASTEST / SLOWEST) / (CANDIDATES - 1)
  let totals = scores[0] ?? new Float64Array(CANDIDATES)
  const origins: Int32Array[] = []
  for (const local of scores.slice(1)) {
    const next = new Float64Array(CANDIDATES)
    const origin = new Int32Array(CANDIDATES)
    for (let to = 0; to < CANDIDATES; to++) {
      let [best, bestFrom] = [Number.NEGATIVE_INFINITY, to]
      for (let from = 0; from < CANDIDATES; from++) {
        const value = (totals[from] ?? 0) - CHANGE_COST * Math.abs(to - from) * octavesPerStep
        if (value > best) {
          best = value
          bestFrom = from
        }
      }
      next[to] = best + (local[to] ?? 0)
      origin[to] = bestFrom
    }
    totals = next
    origins.push(origin)
  }
  const path = [totals.indexOf(Math.max(...totals))]
  for (const origin of origins.reverse()) path.unshift(origin[path[0] ?? 0] ?? 0)
  return path
}

/** The beat period over time, from the onset strength; local estimates every second, joined as smoothly as they allow. */
export const estimateTempo = (onsets: Float32Array): TempoCurve => {
  const strength = smoothFrames(onsets, TIMING_LOOSENESS * FRAME_RATE)
  const [window, step] = [Math.round(WINDOW_SECONDS * FRAME_RATE), Math.round(STEP_SECONDS * FRAME_RATE)]
  const count = Math.max(1, Math.ceil((strength.length - window) / step) + 1)
  // A whole piece has a tempo: local evidence is read against that of all.
  const stretches = Array.from({ length: count }, (_, index) => {
    const from = Math.max(0, Math.min(index * step, strength.length - window))
    return scoreTempi(autocorrelation(strength, from, Math.min(strength.length, from + window)))
  })
  const overall = Float64Array.from({ length: CANDIDATES }, (_, candidate) =>
    stretches.reduce((sum, { score }) => sum + (score[candidate] ?? 0) / count, 0),
  )
  const path = smoothestPath(stretches.map(({ score }) => score.map((value, i) => value + (overall[i] ?? 0))))
  const clarity = stretches.reduce((sum, { comb }, index) => sum + Math.max(0, comb[path[index] ?? 0] ?? 0), 0) / count
  return {
    periodAt(frame) {
      const index = Math.max(0, Math.min(count - 1, Math.round((frame - window / 2) / step)))
      return periodOf(candidateBpm(path[index] ?? 0))
    },
    clarity: Math.min(1, clarity),
  }
}
