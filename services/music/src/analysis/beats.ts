import { median } from '../dsp/statistics.ts'
import { analysisRate, HOP } from './spectral-frames.ts'
import { steadyLine } from './steady-line.ts'

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

/** Beats that show how a pulse goes on: more where its tempo is steady, fewer where it changes. */
const endBeats = { steady: 17, changing: 9 }
/** The last beats of a steady tempo are not all early or late by more than this share of an interval (as a median). */
const latest = { beats: 5, mostStray: 0.02 }

/** The even pulse of the last beats; undefined if their tempo changes. */
const steadyEnd = (beats: readonly number[]): { last: number; interval: number } | undefined => {
  const near = beats.slice(-endBeats.steady)
  const line = steadyLine(near)
  if (!line) return undefined
  const late = median(near.map((beat, i) => beat - line.at(i)).slice(-latest.beats))
  if (Math.abs(late) > latest.mostStray * line.interval) return undefined
  return { last: line.at(near.length - 1), interval: line.interval }
}

/** The last beat of a pulse, and the interval to the next one. At a steady tempo both are as most beats have them, since each beat may stray. */
const endOf = (beats: readonly number[]): { last: number; interval: number } => {
  const near = beats.slice(-endBeats.changing)
  const interval = median(near.slice(1).map((beat, i) => beat - (near[i] ?? 0)))
  return steadyEnd(beats) ?? { last: near.at(-1) ?? 0, interval }
}

/** Where added beats may lie, in intervals: slightly before the beginning, which counts as the beginning, and not just before the end. */
const margins = { beginning: 0.1, end: -0.02 }

/** The beats that follow on a pulse up to `margin` intervals after `length`. */
const beatsAfter = (beats: readonly number[], length: number, margin: number): number[] => {
  const { last, interval } = endOf(beats)
  if (!(interval > 0)) return []
  const count = Math.max(0, Math.ceil((length - last) / interval + margin) - 1)
  const earliest = (beats.at(-1) ?? 0) + interval / 2
  return Array.from({ length: count }, (_, i) => last + (i + 1) * interval).filter((beat) => beat > earliest)
}

/** Extends a pulse to both ends of the piece; `before` is the number of beats added before the first. */
export const extendBeats = (beats: readonly number[], length: number): { beats: number[]; before: number } => {
  const reversed = beats.map((beat) => -beat).reverse()
  const before = beatsAfter(reversed, 0, margins.beginning).map((beat) => Math.max(0, -beat))
  return { beats: [...before.reverse(), ...beats, ...beatsAfter(beats, length, margins.end)], before: before.length }
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
