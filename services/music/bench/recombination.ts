import { analyse } from '../src/analysis/analyse.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { audioInMemory } from '../src/audio/audio-path.ts'
import { type Block, blockLength, monoOf, sliceBlock } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { createTruePeakMeter } from '../src/audio/true-peak.ts'
import { median } from '../src/dsp/statistics.ts'
import { measureSeam } from '../src/generate/measure-seam.ts'
import type { Run } from '../src/generate/plan.ts'
import { planTake, playTake, prepareMaterial } from '../src/generate/recombine.ts'

/** A piece to continue, by its samples. */
export type Source = {
  readonly name: string
  readonly block: Block
  readonly sampleRate: number
}

/** How well one continuation did. Values that cannot be measured are null. */
export type RecombinationFigures = {
  readonly name: string
  readonly percentile: number | null
  readonly loudnessStep: number | null
  readonly beatErrorMs: number | null
  /** The longest stretch that is played as it is in the source, in bars; null without bars. */
  readonly longestCopyBars: number | null
  /** The largest share of steps of the source that are played again after a fixed number of steps, 0..1: 1 is a loop. */
  readonly selfSimilarity: number
  /** By how much the tempo of the continuation differs from that of the source, as a share. */
  readonly tempoDrift: number | null
  readonly truePeakDb: number
  /** CPU time over the length of the continuation, without and with the analysis of its source. */
  readonly planShare: number
  readonly totalShare: number
}

export const stepsOf = (runs: readonly Run[]): number[] =>
  runs.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i))

/** The largest share of steps that equal the step some steps before, over all such distances up to half the length. */
export const repeatedShare = (steps: readonly number[], shortest: number): number => {
  let largest = 0
  for (let lag = shortest; lag <= steps.length / 2; lag++) {
    const same = steps.filter((step, i) => i >= lag && steps[i - lag] === step).length
    largest = Math.max(largest, same / (steps.length - lag))
  }
  return largest
}

const longestRun = (runs: readonly Run[]): number => Math.max(0, ...runs.map(({ first, last }) => last - first + 1))

const truePeakDb = (block: Block, sampleRate: number): number => {
  const meter = createTruePeakMeter(sampleRate, block.length)
  meter.push(block)
  return 20 * Math.log10(Math.max(1e-6, meter.finish()))
}

const tempoOfBlock = (block: Block, sampleRate: number): number | null =>
  analyse(resample(monoOf(block), sampleRate, analysisRate)).bpm

/** Continues a source that is cut at `cut` seconds, and measures the result. */
export const judgeRecombination = async (
  { name, block, sampleRate }: Source,
  { cut, seconds, seed }: { readonly cut: number; readonly seconds: number; readonly seed: number },
): Promise<RecombinationFigures> => {
  const before = sliceBlock(block, 0, Math.min(blockLength(block), Math.round(cut * sampleRate)))
  const context = audioInMemory(before, sampleRate)
  const request = { context, frames: Math.round(seconds * sampleRate), prompt: '', seed }
  const began = process.cpuUsage()
  const material = await prepareMaterial(request)
  const prepared = process.cpuUsage(began).user / 1e6
  const take = planTake(material, request)
  const after = await playTake(material, take, request)
  const total = process.cpuUsage(began).user / 1e6
  const { grid } = material
  const { runs } = take.plan
  const seam = measureSeam({ before, after, sampleRate })
  const isBeats = grid.kind === 'beats'
  const bpm = isBeats ? (60 * analysisRate) / median(grid.steps.map(({ start, end }) => end - start)) : null
  const continued = bpm === null ? null : tempoOfBlock(after, sampleRate)
  return {
    name,
    percentile: seam.distancePercentile,
    loudnessStep: seam.loudnessStepLu,
    beatErrorMs: seam.beatErrorMs,
    longestCopyBars: isBeats ? longestRun(runs) / grid.stepsPerBar : null,
    selfSimilarity: repeatedShare(stepsOf(runs), 2),
    tempoDrift: bpm === null || continued === null ? null : continued / bpm - 1,
    truePeakDb: truePeakDb(after, sampleRate),
    planShare: (total - prepared) / seconds,
    totalShare: total / seconds,
  }
}
