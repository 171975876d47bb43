import { envelopeLevels } from '../src/analysis/attack-envelope.ts'
import { fluxGroups } from '../src/analysis/band-flux.ts'
import { chromaHop, findPeaks } from '../src/analysis/chroma.ts'
import { measureBands, soundOf } from '../src/analysis/features.ts'
import { analysisRate, BANDS, HOP } from '../src/analysis/spectral-frames.ts'
import { audioInMemory } from '../src/audio/audio-path.ts'
import { type Block, blockLength, monoOf, sliceBlock } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { meanOf } from '../src/dsp/statistics.ts'
import { recombine } from '../src/generate/recombine.ts'
import type { Source } from './recombination.ts'

/** What a stretch of music is like, in groups of values that count alike: sound, how it varies, attacks, harmony. */
export type Portrait = readonly (readonly number[])[]

const deviationOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

/** The values of one column of rows of `width` values. */
const columnOf = (rows: Float32Array, width: number, column: number): number[] =>
  Array.from({ length: Math.floor(rows.length / width) }, (_, row) => rows[row * width + column] ?? 0)

const columns = (rows: Float32Array, width: number): number[][] =>
  Array.from({ length: width }, (_, column) => columnOf(rows, width, column))

/** Levels of bands and their deviations, mean and deviation of the flux in its groups, and the mean chroma. */
export const portraitOf = (block: Block, sampleRate: number): Portrait => {
  const signal = resample(monoOf(block), sampleRate, analysisRate)
  const frames = (hop: number) => Math.max(1, Math.ceil(signal.length / hop))
  const peaks = findPeaks(signal, 0, frames(chromaHop))
  const bands = measureBands(signal, 0, frames(HOP))
  const { spectral, flux, chroma } = soundOf({ ...bands, peaks, envelope: envelopeLevels(signal) }, signal.length)
  const [levels, attacks] = [columns(spectral.levels, BANDS), columns(flux, fluxGroups)]
  return [
    levels.map(meanOf),
    levels.map(deviationOf),
    [...attacks.map(meanOf), ...attacks.map(deviationOf)],
    columns(chroma.values, 12).map(meanOf),
  ]
}

/** Distances of portraits, with each value in units of its deviation over some pieces. */
export const createDistance = (pieces: readonly Portrait[]): ((a: Portrait, b: Portrait) => number) => {
  const units = (pieces[0] ?? []).map((group, g) =>
    group.map((_, i) => deviationOf(pieces.map((piece) => piece[g]?.[i] ?? 0)) || 1),
  )
  return (a, b) =>
    Math.sqrt(
      meanOf(
        units.map((group, g) => meanOf(group.map((unit, i) => (((a[g]?.[i] ?? 0) - (b[g]?.[i] ?? 0)) / unit) ** 2))),
      ),
    )
}

/** How near a continuation of the first half of a piece is to the second half, and what lies nearer. */
export type HiddenHalfFigures = {
  readonly name: string
  readonly distance: number
  /** The distance of the nearest other piece, and the number of other pieces that are nearer than the continuation. */
  readonly nearestOther: number
  readonly nearer: number
}

/** Continues the first half of each piece by `seconds`, and compares the result with the beginning of the second half, which was not part of its input. */
export const judgeHiddenHalves = async (sources: readonly Source[], seconds: number): Promise<HiddenHalfFigures[]> => {
  const pieces: { name: string; made: Portrait; hidden: Portrait }[] = []
  for (const [seed, { name, block, sampleRate }] of sources.entries()) {
    const [half, frames] = [Math.floor(blockLength(block) / 2), Math.round(seconds * sampleRate)]
    const context = audioInMemory(sliceBlock(block, 0, half), sampleRate)
    const { block: made } = await recombine({ context, frames, prompt: '', seed })
    const hidden = portraitOf(sliceBlock(block, half, half + frames), sampleRate)
    pieces.push({ name, made: portraitOf(made, sampleRate), hidden })
  }
  const distance = createDistance(pieces.map(({ hidden }) => hidden))
  return pieces.map(({ name, made, hidden }) => {
    const own = distance(made, hidden)
    const others = pieces.filter((other) => other.name !== name).map((other) => distance(other.hidden, hidden))
    return {
      name,
      distance: own,
      nearestOther: Math.min(...others),
      nearer: others.filter((other) => other < own).length,
    }
  })
}
