import { type Analysis, analyse } from '../src/analysis/analyse.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { monoOf } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { meanOf, median } from '../src/dsp/statistics.ts'
import type { Source } from './recombination.ts'

/** Downbeats (s) of an analysis of what begins at `offset` samples. */
const downbeatsOf = ({ beats, bars }: Analysis, offset: number): number[] =>
  beats.filter((_, i) => bars.positions[i] === 0).map((beat) => (beat + offset) / analysisRate)

const describe = ({ bpm, bars, key, likely }: Analysis): string => {
  const name = key ? `${key.name} (${key.confidence.toFixed(2)})` : 'no key'
  return `${bpm === null ? 'no tempo' : `${bpm.toFixed(1)} bpm`}  ${bars.metre}  ${name}  beats likely to ${meanOf(likely()).toFixed(2)}`
}

/** Analyses a recording and each of its thirds alone: a steady piece should have the same tempo and bars in all of them. */
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
    const inside = whole.beats.filter((beat) => beat >= from && beat < to)
    const local = (60 * analysisRate) / median(inside.slice(1).map((beat, i) => beat - (inside[i] ?? 0)))
    return `    third ${third + 1}: ${describe(part)}  (the whole there: ${local.toFixed(1)} bpm; ${same} of ${own.length} downbeats are the whole's)`
  })
  return [`  ${name}: ${describe(whole)}`, ...lines]
}
