import { meanOf } from '../dsp/statistics.ts'
import type { Activations } from './activations.ts'
import type { DecodedBars } from './bar-pointer.ts'
import { oddsOfBars, standardiseAccents } from './bars.ts'
import { accentsOf, chromaDistance } from './beat-accents.ts'
import { type ChromaFrames, chromaBetween } from './chroma.ts'
import { frameRate, HOP } from './spectral-frames.ts'
import { meanWithin } from './tempo-level-features.ts'

/** Tempo (bpm) that counts as 0 octaves. */
const middleBpm = 112
/** Beats after which harmonies are compared. */
const lags = [1, 2, 3, 4, 6, 8]

/** By how much more of the variance of values is between the phases of a period than chance explains. */
const periodicity = (values: readonly number[], period: number): number => {
  const variance = meanOf(values.map((value) => value ** 2))
  if (values.length < 2 * period) return 0
  const phases = Array.from({ length: period }, (_, phase) => meanOf(values.filter((_, i) => i % period === phase)))
  return meanOf(phases.map((mean) => mean ** 2)) - ((period - 1) / values.length) * variance
}

/** How alike the harmonies of beats are after each of `lags`, relative to the mean of those that the piece is long enough for; 0 for others. */
const likenesses = (harmonies: readonly Float32Array[]): number[] => {
  const means = lags
    .filter((lag) => lag < harmonies.length)
    .map((lag) =>
      meanOf(harmonies.slice(lag).map((harmony, i) => 1 - chromaDistance(harmony, harmonies[i] ?? harmony))),
    )
  const usual = meanOf(means)
  return lags.map((_, i) => (means[i] ?? usual) - usual)
}

/**
 * Features of a path that tell whether its tempo is that of the piece: its log likelihood per second; the tempo (octaves, and squared); how
 * well its beats fit bars; onsets at the beats, accents there and between them; how the harmony changes every four and every eight beats; and
 * how much more alike harmonies are after two, four and eight beats than after other numbers.
 */
export const relatedTempoFeatures = (
  activations: Activations,
  chroma: ChromaFrames,
  { beats, model, score }: DecodedBars,
): number[] => {
  const { onset, accent } = activations
  const frames = beats.map(({ frame }) => frame)
  const samples = frames.map((frame) => frame * HOP)
  const beatSeconds = ((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / frameRate / (frames.length - 1)
  const octaves = Math.log2(60 / beatSeconds / middleBpm)
  const standard = standardiseAccents(accentsOf(chroma, activations, samples))
  const likeness = likenesses(samples.slice(1).map((end, i) => chromaBetween(chroma, samples[i] ?? 0, end)))
  return [
    score / (activations.frames / frameRate),
    octaves,
    octaves ** 2,
    oddsOfBars(standard, model.metre),
    meanWithin(onset, frames, 0),
    meanWithin(accent, frames, 0),
    meanWithin(accent, frames, 0.5),
    periodicity(standard.harmony, 4),
    periodicity(standard.harmony, 8),
    ...[2, 4, 8].map((lag) => likeness[lags.indexOf(lag)] ?? 0),
  ]
}
