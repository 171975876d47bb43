import { clamp, meanOf, smoothFrames } from '../dsp/statistics.ts'
import { frameRate, HOP } from './spectral-frames.ts'

/** Length of a stretch and the step between two (beats). */
const stretchBeats = 16
const stepBeats = 8
/** Values per beat. */
const perBeat = 24
/** Looseness of players' timing (one standard deviation, s); onsets are compared no more sharply than that. */
const timingLooseness = 0.02
/** Onsets repeat after a beat and after several, with decreasing weights. */
const comb: readonly (readonly [beats: number, weight: number])[] = [
  [1, 0.45],
  [2, 0.3],
  [3, 0.1],
  [4, 0.15],
]

/** Autocorrelation of a stretch, unbiased by length; 1 at lag 0, and 0 without a change. */
const createAutocorrelation = (stretch: Float32Array) => {
  const mean = meanOf(stretch)
  const sum = (lag: number) => {
    let product = 0
    for (let i = lag; i < stretch.length; i++) product += ((stretch[i] ?? 0) - mean) * ((stretch[i - lag] ?? 0) - mean)
    return product / (stretch.length - lag)
  }
  const power = sum(0)
  return (lag: number): number => (power < 1e-9 ? 0 : sum(lag) / power)
}

/** A curve of frames in the time of the beats (samples at ANALYSIS_RATE): `perBeat` values from each beat to the next. */
const inBeatTime = (curve: Float32Array, beats: readonly number[]): Float32Array =>
  Float32Array.from({ length: Math.max(0, beats.length - 1) * perBeat }, (_, i) => {
    const [beat, share] = [Math.floor(i / perBeat), (i % perBeat) / perBeat]
    const at = ((beats[beat] ?? 0) * (1 - share) + (beats[beat + 1] ?? 0) * share) / HOP
    const below = Math.floor(at)
    return (curve[below] ?? 0) * (1 - at + below) + (curve[below + 1] ?? 0) * (at - below)
  })

/**
 * How well the onsets repeat from beat to beat (samples at ANALYSIS_RATE): 0 (not at all) to 1 (a machine). They are compared in the
 * time of the beats, so that rubato is not taken for a lack of a pulse.
 */
export const clarityOf = (onsets: Float32Array, beats: readonly number[]): number => {
  const curve = inBeatTime(smoothFrames(onsets, timingLooseness * frameRate), beats)
  const [length, step] = [stretchBeats * perBeat, stepBeats * perBeat]
  const found: number[] = []
  for (let from = 0; from === 0 || from + length <= curve.length; from += step) {
    const stretch = curve.subarray(from, from + length)
    const lags = comb.filter(([apart]) => (apart + 1) * perBeat <= stretch.length)
    const correlation = createAutocorrelation(stretch)
    const weights = lags.reduce((sum, [, weight]) => sum + weight, 0)
    if (weights > 0)
      found.push(lags.reduce((sum, [apart, weight]) => sum + weight * correlation(apart * perBeat), 0) / weights)
  }
  return clamp(meanOf(found), 0, 1)
}
