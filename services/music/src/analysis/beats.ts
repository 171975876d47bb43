import { median, parabolicOffset, smoothFrames } from '../dsp/statistics.ts'
import { normaliseStrength } from './onset-strength.ts'
import { analysisRate, HOP } from './spectral-frames.ts'
import type { TempoCurve } from './tempo.ts'

/** Weight of an even pulse against strong onsets (Ellis, "Beat tracking by dynamic programming", 2007). */
const tightness = 100

/** For each frame the best score of a pulse that ends there, and the preceding pulse (-1 at the beginning). */
const accumulate = (strength: Float32Array, tempo: TempoCurve): { scores: Float64Array; previous: Int32Array } => {
  const scores = new Float64Array(strength.length)
  const previous = new Int32Array(strength.length).fill(-1)
  for (let frame = 0; frame < strength.length; frame++) {
    const period = tempo.periodAt(frame)
    let [best, bestAt] = [0, -1]
    const from = Math.max(0, Math.round(frame - 2 * period))
    const to = Math.round(frame - period / 2)
    for (let at = from; at <= to; at++) {
      const stretch = Math.log((frame - at) / period)
      const value = (scores[at] ?? 0) - tightness * stretch * stretch
      if (value > best) {
        best = value
        bestAt = at
      }
    }
    scores[frame] = best + (strength[frame] ?? 0)
    previous[frame] = bestAt
  }
  return { scores, previous }
}

/** The frame of the last beat: the best pulse that ends within the last period. */
const lastBeat = (scores: Float64Array, tempo: TempoCurve): number => {
  const from = Math.max(0, Math.round(scores.length - 1.1 * tempo.periodAt(scores.length - 1)))
  let best = scores.length - 1
  for (let frame = from; frame < scores.length; frame++) if ((scores[frame] ?? 0) > (scores[best] ?? 0)) best = frame
  return best
}

/** Beats this much weaker than the median, at either end, were extrapolated before or after the music. */
const unheard = 0.1

/** Removes such beats from both ends of a pulse, where their positions are meaningless. */
const trimUnheard = (frames: number[], strength: Float32Array): void => {
  const at = (frame: number) => Math.max(...strength.subarray(Math.max(0, frame - 2), frame + 3), 0)
  const min = unheard * median(frames.map(at))
  while (frames.length > 2 && at(frames.at(-1) ?? 0) < min) frames.pop()
  while (frames.length > 2 && at(frames[0] ?? 0) < min) frames.shift()
}

/** Extends a pulse to both ends of the piece, by the median interval of its nearest beats. */
const extend = (beats: number[], length: number): number[] => {
  const interval = (some: number[]): number => median(some.slice(1).map((beat, i) => beat - (some[i] ?? 0)))
  const [first, last] = [interval(beats.slice(0, 9)), interval(beats.slice(-9))]
  const extended = [...beats]
  // A beat slightly before the beginning counts as the beginning.
  if (first > 0)
    for (let at = (beats[0] ?? 0) - first; at > -first * 0.1; at -= first) extended.unshift(Math.max(0, at))
  if (last > 0) for (let at = (beats.at(-1) ?? 0) + last; at < length; at += last) extended.push(at)
  return extended
}

/**
 * Beat times in samples at ANALYSIS_RATE, covering the whole piece: a pulse that follows strong onsets and stays as even as
 * the tempo curve. Empty with fewer than two beats.
 */
export const trackBeats = (onsets: Float32Array, tempo: TempoCurve, samples: number): number[] => {
  const period = tempo.periodAt(onsets.length / 2)
  const strength = smoothFrames(normaliseStrength(onsets), Math.max(1, period / 32))
  const { scores, previous } = accumulate(strength, tempo)
  const frames: number[] = []
  for (let frame = lastBeat(scores, tempo); frame >= 0; frame = previous[frame] ?? -1) frames.unshift(frame)
  trimUnheard(frames, strength)
  if (frames.length < 2) return []
  const beats = frames.map((frame) => {
    const top = parabolicOffset(strength[frame - 1] ?? 0, strength[frame] ?? 0, strength[frame + 1] ?? 0)
    return (frame + top) * HOP
  })
  return extend(beats, samples)
}

/** Beats per minute of a pulse: the mean interval of its middle half, which is robust against outliers. Null without a pulse. */
export const tempoOf = (beats: readonly number[]): number | null => {
  if (beats.length < 3) return null
  const intervals = beats
    .slice(1)
    .map((beat, i) => beat - (beats[i] ?? 0))
    .sort((a, b) => a - b)
  const middle = intervals.slice(Math.floor(intervals.length / 4), Math.ceil((intervals.length * 3) / 4))
  const mean = middle.reduce((sum, interval) => sum + interval, 0) / middle.length
  return (60 * analysisRate) / mean
}

/** The median strength of the onsets at the beats (see onsetStrength): about 0.2 for noise, 2 and more for drums. */
export const beatAttack = (onsets: Float32Array, beats: readonly number[]): number =>
  median(
    beats.map((beat) => {
      const frame = Math.round(beat / HOP)
      return Math.max(onsets[frame - 1] ?? 0, onsets[frame] ?? 0, onsets[frame + 1] ?? 0)
    }),
  )
