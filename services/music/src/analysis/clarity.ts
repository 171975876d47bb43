import { clamp, meanOf, median, smoothFrames } from '../dsp/statistics.ts'
import { frameRate, HOP } from './spectral-frames.ts'

/** Length of a stretch and the step between two (s). */
const windowSeconds = 8
const stepSeconds = 4
/** Looseness of players' timing (one standard deviation, s); periods are compared no more sharply than that. */
const timingLooseness = 0.02
/** A period explains a stretch by its own lag and its multiples, with decreasing weights. */
const comb: readonly (readonly [multiple: number, weight: number])[] = [
  [1, 0.45],
  [2, 0.3],
  [3, 0.1],
  [4, 0.15],
]

/** Autocorrelation of a stretch at a fraction of frames, unbiased by length; 1 at lag 0. */
const createAutocorrelation = (curve: Float32Array, from: number, to: number) => {
  const mean = meanOf(curve.subarray(from, to))
  const sum = (lag: number) => {
    if (to - from - lag < 4) return 0
    let product = 0
    for (let i = from + lag; i < to; i++) product += ((curve[i] ?? 0) - mean) * ((curve[i - lag] ?? 0) - mean)
    return product / (to - from - lag)
  }
  const power = sum(0)
  return (lag: number): number => {
    if (power < 1e-9) return 0
    const below = Math.floor(lag)
    return (sum(below) * (1 - lag + below) + sum(below + 1) * (lag - below)) / power
  }
}

/** How well the onsets repeat at the intervals of the beats (samples at ANALYSIS_RATE): 0 (not at all) to 1 (a machine). */
export const clarityOf = (onsets: Float32Array, beats: readonly number[]): number => {
  const strength = smoothFrames(onsets, timingLooseness * frameRate)
  const [window, step] = [Math.round(windowSeconds * frameRate), Math.round(stepSeconds * frameRate)]
  const found: number[] = []
  for (let from = 0; from === 0 || from + window <= strength.length; from += step) {
    const to = Math.min(strength.length, from + window)
    const inside = beats.filter((beat) => beat >= from * HOP && beat < to * HOP)
    if (inside.length < 3) continue
    const period = median(inside.slice(1).map((beat, i) => beat - (inside[i] ?? 0))) / HOP
    const correlation = createAutocorrelation(strength, from, to)
    found.push(comb.reduce((sum, [multiple, weight]) => sum + weight * correlation(period * multiple), 0))
  }
  return clamp(meanOf(found), 0, 1)
}
