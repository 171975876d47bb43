import { envelopeLevels } from '../src/analysis/attack-envelope.ts'
import { fluxGroups } from '../src/analysis/band-flux.ts'
import { chromaHop, findPeaks } from '../src/analysis/chroma.ts'
import { measureBands, soundOf } from '../src/analysis/features.ts'
import { analysisRate, BANDS, HOP } from '../src/analysis/spectral-frames.ts'
import { audioInMemory } from '../src/audio/audio-path.ts'
import { type Block, blockLength, monoOf, sliceBlock } from '../src/audio/pcm.ts'
import { resample } from '../src/audio/resample.ts'
import { meanOf, median } from '../src/dsp/statistics.ts'
import { planTake, playTake, prepareMaterial } from '../src/generate/recombine.ts'
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

/** How near continuations of the first half of a piece are to its second half, and whether other pieces are nearer. */
export type HiddenHalfFigures = {
  readonly name: string
  /** Distance of each take from the excerpt of the second half that it is most like. */
  readonly distances: readonly number[]
  /** The same of excerpts of the first half at the median: of what the piece itself has played. */
  readonly firstHalf: number
  /** Distance of the nearest other piece. */
  readonly nearestOther: number
}

/** Portraits of the excerpts of a block, each of which overlaps the next by half. */
export const excerptsOf = (block: Block, sampleRate: number, frames: number): Portrait[] => {
  const starts = Math.floor((blockLength(block) - frames) / (frames / 2)) + 1
  return Array.from({ length: Math.max(0, starts) }, (_, i) =>
    portraitOf(sliceBlock(block, Math.floor((i * frames) / 2), Math.floor((i * frames) / 2) + frames), sampleRate),
  )
}

/** Consecutive seeds of the takes of a piece: those of one request. */
const takes = 4

/**
 * Continues the first half of each piece by `seconds`, in takes that begin differently, and compares each with the second half, which
 * was not part of its input: with the excerpt of it that is most alike, since which section comes next is a composer's choice. Other
 * pieces are compared in the same way, by the beginnings of their second halves.
 */
export const judgeHiddenHalves = async (sources: readonly Source[], seconds: number): Promise<HiddenHalfFigures[]> => {
  const pieces: { name: string; made: Portrait[]; first: Portrait[]; hidden: Portrait[] }[] = []
  for (const [index, { name, block, sampleRate }] of sources.entries()) {
    const [half, frames] = [Math.floor(blockLength(block) / 2), Math.round(seconds * sampleRate)]
    const before = sliceBlock(block, 0, half)
    const common = { context: audioInMemory(before, sampleRate), frames, prompt: '' }
    const material = await prepareMaterial(common)
    const made: Portrait[] = []
    for (let take = 0; take < takes; take++) {
      const request = { ...common, seed: index + take }
      made.push(portraitOf(await playTake(material, planTake(material, request), request), sampleRate))
    }
    const excerpts = (part: Block) => excerptsOf(part, sampleRate, frames)
    const hidden = excerpts(sliceBlock(block, half, blockLength(block)))
    pieces.push({ name, made, first: excerpts(before), hidden })
  }
  const distance = createDistance(pieces.flatMap(({ hidden }) => hidden))
  const nearest = (portrait: Portrait, hidden: readonly Portrait[]) =>
    Math.min(...hidden.map((excerpt) => distance(portrait, excerpt)))
  return pieces.map(({ name, made, first, hidden }) => ({
    name,
    distances: made.map((take) => nearest(take, hidden)),
    firstHalf: median(first.map((excerpt) => nearest(excerpt, hidden))),
    nearestOther: Math.min(
      ...pieces
        .flatMap((other) => (other.name === name ? [] : other.hidden.slice(0, 1)))
        .map((one) => nearest(one, hidden)),
    ),
  }))
}
