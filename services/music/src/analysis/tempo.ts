import { createFourier } from '../dsp/fourier.ts'
import { clamp, meanOf, smoothFrames } from '../dsp/statistics.ts'
import { frameRate } from './spectral-frames.ts'

/** Range of candidate tempi, in beats per minute. */
const slowest = 40
const fastest = 240
/** Candidate tempi, equally spaced on a log scale (1.2 % apart). */
const candidates = 150
/** Preferred tapping tempo, and its spread in octaves (one standard deviation). */
const preferredBpm = 115
const preferenceOctaves = 1
/** Length of a local estimate and the step between them, in seconds. */
const windowSeconds = 8
const stepSeconds = 1
/** Looseness of players' timing (one standard deviation, s); periods are compared no more sharply than that. */
const timingLooseness = 0.02
/** Cost of a change of tempo by one octave from one local estimate to the next. */
const changeCost = 6

/** The beat period over time. */
export type TempoCurve = {
  /** Frames per beat at a frame. */
  periodAt(frame: number): number
  /** How periodic the piece is, 0 (not at all) to 1 (a machine). */
  readonly clarity: number
}

const candidateBpm = (index: number): number => slowest * (fastest / slowest) ** (index / (candidates - 1))
const periodOf = (bpm: number): number => (60 * frameRate) / bpm
const longestLag = Math.ceil(periodOf(slowest) * 4) + 2

/** Size for a stretch and the longest lag, so that its end does not wrap around to its beginning. */
const TRANSFORM = 2 ** Math.ceil(Math.log2(windowSeconds * frameRate + longestLag + 1))

/**
 * Autocorrelations of a stretch of two curves with their means removed, normalised to 1 at lag 0, unbiased by length. One
 * transform computes both, as its real and imaginary parts: the powers of both spectra are even, so the inverse transform is
 * real for each.
 */
const createAutocorrelation = () => {
  const transform = createFourier(TRANSFORM)
  const [re, im] = [new Float64Array(TRANSFORM), new Float64Array(TRANSFORM)]
  const fill = (target: Float64Array, curve: Float32Array, from: number, to: number) => {
    const mean = meanOf(curve.subarray(from, to))
    target.fill(0)
    for (let i = from; i < to; i++) target[i - from] = (curve[i] ?? 0) - mean
  }
  const normalised = (sums: Float64Array, length: number): Float64Array => {
    const result = new Float64Array(longestLag)
    const power = (sums[0] ?? 0) / length
    // For a constant curve only rounding errors of the transform remain.
    if (power < 1e-9) return result
    for (let lag = 0; lag < Math.min(longestLag, length - 4); lag++) {
      result[lag] = (sums[lag] ?? 0) / (length - lag) / power
    }
    return result
  }
  return (one: Float32Array, other: Float32Array, from: number, to: number): [Float64Array, Float64Array] => {
    fill(re, one, from, to)
    fill(im, other, from, to)
    transform(re, im)
    const [first, second] = [new Float64Array(TRANSFORM), new Float64Array(TRANSFORM)]
    for (let k = 0; k < TRANSFORM; k++) {
      const mirrored = (TRANSFORM - k) % TRANSFORM
      const [a, b, c, d] = [re[k] ?? 0, im[k] ?? 0, re[mirrored] ?? 0, im[mirrored] ?? 0]
      first[k] = ((a + c) ** 2 + (b - d) ** 2) / 4 / TRANSFORM
      second[k] = ((b + d) ** 2 + (c - a) ** 2) / 4 / TRANSFORM
    }
    transform(first, second)
    return [normalised(first, to - from), normalised(second, to - from)]
  }
}

const interpolate = (values: Float64Array, at: number): number => {
  const below = Math.floor(at)
  const share = at - below
  return (values[below] ?? 0) * (1 - share) + (values[below + 1] ?? 0) * share
}

/** How well a period explains a stretch: its own lag and its multiples, with decreasing weights. */
const COMB: readonly (readonly [multiple: number, weight: number])[] = [
  [1, 0.45],
  [2, 0.3],
  [3, 0.1],
  [4, 0.15],
]

const preference = (bpm: number): number => Math.exp(-0.5 * (Math.log2(bpm / preferredBpm) / preferenceOctaves) ** 2)

/** Weight of a period whose half is as strong as the period itself, and the ratio above which the weight decreases. */
const group = 0.5
const groupFrom = 0.7

/** Weight of a period: 1 for a beat, down to GROUP for a group of two beats. */
const isBeat = (correlation: Float64Array, period: number): number => {
  const own = interpolate(correlation, period)
  if (own <= 0) return 1
  const between = interpolate(correlation, period / 2) / own
  return 1 - (1 - group) * clamp((between - groupFrom) / (1 - groupFrom), 0, 1)
}

/** Exponent by which a period is discounted if two thirds of it explain the stretch better. */
const dotted = 2

/**
 * Less than 1 for a dotted beat: in a subdivided pulse, one and a half beats also repeat, but less well than the pulse
 * itself, which is two thirds of that.
 */
const isPlain = (correlation: Float64Array, period: number): number => {
  const own = Math.max(0, interpolate(correlation, period))
  const pulse = interpolate(correlation, (period * 2) / 3)
  return pulse > own ? (own / pulse) ** dotted : 1
}

/** Weight of accents, relative to onsets of any loudness, for the choice of a tempo. */
const ACCENTS = 0.7

/** How well the period of each candidate explains a correlation. */
const combOf = (correlation: Float64Array): Float64Array =>
  Float64Array.from({ length: candidates }, (_, index) => {
    const period = periodOf(candidateBpm(index))
    return COMB.reduce((sum, [multiple, weight]) => sum + weight * interpolate(correlation, period * multiple), 0)
  })

/** Scores of all candidate tempi in one stretch: how periodic its onsets are, and which tempo its accents support. */
const scoreTempi = (onsets: Float64Array, accents: Float64Array): { comb: Float64Array; score: Float64Array } => {
  const both = onsets.map((value, lag) => (1 - ACCENTS) * value + ACCENTS * (accents[lag] ?? 0))
  const score = combOf(both).map((value, index) => {
    const bpm = candidateBpm(index)
    return Math.max(0, value) * preference(bpm) * isBeat(both, periodOf(bpm)) * isPlain(both, periodOf(bpm))
  })
  return { comb: combOf(onsets), score }
}

/** The smoothest best path through local scores: one candidate per stretch (Viterbi). */
const smoothestPath = (scores: readonly Float64Array[]): number[] => {
  const octavesPerStep = Math.log2(fastest / slowest) / (candidates - 1)
  let totals = scores[0] ?? new Float64Array(candidates)
  const origins: Int32Array[] = []
  for (const local of scores.slice(1)) {
    const next = new Float64Array(candidates)
    const origin = new Int32Array(candidates)
    for (let to = 0; to < candidates; to++) {
      let [best, bestFrom] = [Number.NEGATIVE_INFINITY, to]
      for (let from = 0; from < candidates; from++) {
        const value = (totals[from] ?? 0) - changeCost * Math.abs(to - from) * octavesPerStep
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

/** The beat period over time, from onset and accent strength; local estimates every second, joined as smoothly as possible. */
export const estimateTempo = (onsets: Float32Array, accents: Float32Array): TempoCurve => {
  const autocorrelate = createAutocorrelation()
  const accented = smoothFrames(accents, timingLooseness * frameRate)
  const strength = smoothFrames(onsets, timingLooseness * frameRate)
  const [window, step] = [Math.round(windowSeconds * frameRate), Math.round(stepSeconds * frameRate)]
  const count = Math.max(1, Math.ceil((strength.length - window) / step) + 1)
  // A whole piece has a tempo, so local evidence is combined with that of the whole.
  const stretches = Array.from({ length: count }, (_, index) => {
    const from = Math.max(0, Math.min(index * step, strength.length - window))
    const to = Math.min(strength.length, from + window)
    return scoreTempi(...autocorrelate(strength, accented, from, to))
  })
  const overall = Float64Array.from({ length: candidates }, (_, candidate) =>
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
