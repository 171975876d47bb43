import { meanOf } from '../dsp/statistics.ts'
import type { Activations } from './activations.ts'

/** Beats per window over which features are measured, since a beat too many or too few shifts the phases of all that follow. */
const windowBeats = 64
/** Tempo (bpm) that counts as 0 octaves. */
const middleBpm = 140

/** Two pulses through a piece, of which one is twice as fast as the other. */
export type TempoPair = {
  /** Frames of the beats of the faster one. */
  readonly beats: readonly number[]
  readonly bpm: number
  /** By how much its log likelihood per second is larger than that of the slower one. */
  readonly advantage: number
}

/** The largest value of a curve around a frame. */
export const strongest = (curve: Float32Array, frame: number): number => {
  const at = Math.round(frame)
  return Math.max(curve[at - 1] ?? 0, curve[at] ?? 0, curve[at + 1] ?? 0)
}

/** The mean of a curve at a share of the way from each beat to the next. */
export const meanWithin = (curve: Float32Array, frames: readonly number[], share: number): number =>
  meanOf(frames.slice(1).map((next, i) => strongest(curve, (1 - share) * (frames[i] ?? 0) + share * next)))

/** Means of the values at each phase of a period. */
export const phaseMeans = (values: readonly number[], period: number): number[] =>
  Array.from({ length: period }, (_, phase) => meanOf(values.filter((_, i) => i % period === phase)))

/** By how much the strongest phase of a period exceeds the mean. */
const contrastOf = (values: readonly number[], period: number): number =>
  Math.max(...phaseMeans(values, period)) - meanOf(values)

/** Added to variances, so that beats that are all but equal are not alike by chance. */
const smallVariance = 0.0025

/** Correlation of values with those `lag` later. */
const repetition = (values: readonly number[], lag: number): number => {
  const mean = meanOf(values)
  const products = values.slice(lag).map((value, i) => (value - mean) * ((values[i] ?? 0) - mean))
  const power = meanOf(values.map((value) => (value - mean) ** 2))
  return meanOf(products) / (power + smallVariance)
}

/** What a window of the faster pulse shows of the bars: see `tempoLevelFeatures`. */
const windowFeatures = ({ onset, accent, low, harmony }: Activations, beats: readonly number[]): number[] => {
  const at = (curve: Float32Array) => beats.map((frame) => strongest(curve, frame))
  const within = (share: number) =>
    beats.slice(1).map((next, i) => strongest(onset, (1 - share) * (beats[i] ?? 0) + share * next))
  const [lows, changes] = [at(low), at(harmony)]
  const [even = 0, odd = 0] = phaseMeans(
    beats.map(
      (_, i) =>
        (changes[i] ?? 0) + 0.7 * (lows[i] ?? 0) + strongest(onset, beats[i] ?? 0) + strongest(accent, beats[i] ?? 0),
    ),
    2,
  )
  const weak = changes.filter((_, i) => i % 2 === (even >= odd ? 1 : 0))
  const [one = 0, other = 0] = phaseMeans(weak, 2)
  return [
    repetition(lows, 8),
    (meanOf(within(0.25)) + meanOf(within(0.75))) / 2,
    contrastOf(changes, 4),
    contrastOf(changes, 8),
    Math.abs(one - other),
  ]
}

/**
 * Features of the question which of two pulses is the tempo: the advantage and the tempo (octaves, and squared) of the faster one; how bass
 * and kick repeat after eight of its beats; onsets at the quarters of its beats; how regularly the harmony changes every four and every
 * eight of its beats, and on every other of its weak beats.
 */
export const tempoLevelFeatures = (activations: Activations, { beats, bpm, advantage }: TempoPair): number[] => {
  const windows = Math.max(1, Math.floor(beats.length / windowBeats))
  const measured = Array.from({ length: windows }, (_, i) => {
    const [from, to] = [i, i + 1].map((edge) => Math.round((edge * beats.length) / windows))
    return windowFeatures(activations, beats.slice(from, to))
  })
  const octaves = Math.log2(bpm / middleBpm)
  const means = (measured[0] ?? []).map((_, feature) => meanOf(measured.map((values) => values[feature] ?? 0)))
  return [advantage, octaves, octaves ** 2, ...means]
}
