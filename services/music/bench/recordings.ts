import { type Analysis, analyse } from '../src/analysis/analyse.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { monoOf } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { meanOf, median, quantile } from '../src/dsp/statistics.ts'
import type { Source } from './recombination.ts'

/** Downbeats (s) of an analysis of what begins at `offset` samples. */
const downbeatsOf = ({ beats, bars }: Analysis, offset: number): number[] =>
  beats.filter((_, i) => bars.positions[i] === 0).map((beat) => (beat + offset) / analysisRate)

const describe = ({ bpm, bars, key, likely }: Analysis): string => {
  const name = key ? `${key.name} (${key.confidence.toFixed(2)})` : 'no key'
  return `${bpm === null ? 'no tempo' : `${bpm.toFixed(1)} bpm`}  ${bars.metre}  ${name}  beats likely to ${meanOf(likely()).toFixed(2)}`
}

/** Tempi (bpm) that are the same but for the inaccuracy of a short stretch: within this share of each other. */
const sameTempo = 0.08

const tempiOf = (beats: readonly number[]): number[] =>
  beats.slice(1).map((beat, i) => (60 * analysisRate) / (beat - (beats[i] ?? 0)))

/** Compares the tempo of a third on its own with that of the whole there (bpm). */
const verdict = (bpm: number | null, whole: number | null, there: number): string => {
  if (bpm === null) return whole === null ? 'no tempo, as the whole' : 'NO TEMPO'
  return Math.abs(bpm / there - 1) <= sameTempo ? 'as the whole' : 'ANOTHER TEMPO'
}

/**
 * Analyses a recording and each of its thirds alone: they should have the tempo and bars that the whole has there, which is one tempo in
 * all thirds of a steady piece.
 */
export const judgeThirds = ({ name, block, sampleRate }: Source): string[] => {
  const mono = resample(monoOf(block), sampleRate, analysisRate)
  const whole = analyse(mono)
  const downbeats = downbeatsOf(whole, 0)
  const lines = [0, 1, 2].map((third) => {
    const from = Math.floor((third * mono.length) / 3)
    const to = Math.floor(((third + 1) * mono.length) / 3)
    const part = analyse(mono.subarray(from, to))
    const own = downbeatsOf(part, from)
    const same = own.filter((time) => downbeats.some((other) => Math.abs(time - other) <= 0.07)).length
    const local = median(tempiOf(whole.beats.filter((beat) => beat >= from && beat < to)))
    return `    third ${third + 1}: ${describe(part)}  (${verdict(part.bpm, whole.bpm, local)}, which is at ${local.toFixed(1)} bpm there; ${same} of ${own.length} downbeats are the whole's)`
  })
  const tempi = tempiOf(whole.beats)
  const range = [0.05, 0.95].map((share) => quantile(tempi, share).toFixed(0)).join(' to ')
  return [`  ${name}: ${describe(whole)}  beat by beat ${range} bpm`, ...lines]
}
