import { median } from '../dsp/statistics.ts'
import { analysisRate, HOP } from './spectral-frames.ts'

/** Beats this much weaker than the median, at either end, were extrapolated before or after the music. */
const inaudible = 0.1

/** Removes such beats (frames) from both ends of a pulse, where their positions are meaningless; returns the first and last to retain. */
export const audibleRange = (frames: readonly number[], strength: Float32Array): [first: number, last: number] => {
  const at = (index: number) => {
    const frame = frames[index] ?? 0
    return Math.max(...strength.subarray(Math.max(0, frame - 2), frame + 3), 0)
  }
  const min = inaudible * median(frames.map((_, index) => at(index)))
  let [first, last] = [0, frames.length - 1]
  while (last - first > 1 && at(last) < min) last--
  while (last - first > 1 && at(first) < min) first++
  return [first, last]
}

/** Extends a pulse to both ends of the piece by the median interval of its nearest beats; `before` is the number of beats added before the first. */
export const extendBeats = (beats: readonly number[], length: number): { beats: number[]; before: number } => {
  const interval = (some: readonly number[]): number => median(some.slice(1).map((beat, i) => beat - (some[i] ?? 0)))
  const [first, last] = [interval(beats.slice(0, 9)), interval(beats.slice(-9))]
  const extended = [...beats]
  let before = 0
  // A beat slightly before the beginning counts as the beginning.
  if (first > 0)
    for (let at = (beats[0] ?? 0) - first; at > -first * 0.1; at -= first, before++) extended.unshift(Math.max(0, at))
  if (last > 0) for (let at = (beats.at(-1) ?? 0) + last; at < length; at += last) extended.push(at)
  return { beats: extended, before }
}

/** Beats over which a tempo is measured: those of longer spans are more exact, those of shorter ones follow changes. */
const spanBeats = 16

/** Beats per minute of a pulse: the median over spans of beats, which is robust against outliers. Null without a pulse. */
export const tempoOf = (beats: readonly number[]): number | null => {
  if (beats.length < 3) return null
  const span = Math.min(spanBeats, Math.floor(beats.length / 2))
  return (60 * analysisRate * span) / median(beats.slice(span).map((beat, i) => beat - (beats[i] ?? 0)))
}

/** The median strength of the onsets at the beats (see onsetStrength): at most 0.14 for noise, 2 and more for drums. */
export const beatAttack = (onsets: Float32Array, beats: readonly number[]): number =>
  median(
    beats.map((beat) => {
      const frame = Math.round(beat / HOP)
      return Math.max(onsets[frame - 1] ?? 0, onsets[frame] ?? 0, onsets[frame + 1] ?? 0)
    }),
  )
