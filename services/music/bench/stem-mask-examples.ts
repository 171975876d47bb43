import { audioInMemory } from '../src/audio/audio-path.ts'
import { createRandom, type Random } from '../src/dsp/random.ts'
import { createShortTimeFourier, frameSizeFor, frameStart, framesToCover } from '../src/dsp/short-time-fourier.ts'
import { analysedBins, readStretch } from '../src/stems/read-stretch.ts'
import { spectraOf } from '../src/stems/segment-spectra.ts'
import { cueCount, findStemCues } from '../src/stems/stem-cues.ts'
import { stemNames } from '../src/stems/stem-names.ts'
import { oneOf } from '../test/ensemble-pieces.ts'
import { playMix } from '../test/mixed-pieces.ts'
import {
  type Arrangement,
  isSilent,
  type PartName,
  type PieceOfParts,
  partNames,
  playParts,
} from '../test/stem-pieces.ts'

/**
 * Bins of a piece, drawn with a probability that grows with their energy. The squared error of masks m over the whole piece is about the sum of
 * `m² power - 2 m product` over the examples, in units of the energy of each stem.
 */
export type MaskExamples = {
  readonly generator: 'arrangements' | 'mixes'
  readonly count: number
  readonly cues: Float32Array
  /** Energy of the mixture, one per example. */
  readonly powers: Float32Array
  /** Product of the mixture and each stem, one per example and stem. */
  readonly products: Float32Array
  readonly energies: readonly number[]
  /** Whether the piece has the stem, and others beside it: without others, the mixture cannot be improved. */
  readonly isJudged: readonly boolean[]
}

const examplesPerPiece = 40_000
/** Loud bins are drawn more often, but not as much as they are louder. */
const drawExponent = 0.6
/** A stem that is silent, or nearly, counts as if it had this share of the energy: what a mask lets through must matter. */
const leastShare = 0.02

/** Positions in the order of drawing, and the weight of each: the inverse of how often it is expected. */
const draw = (powers: Float64Array, random: Random): { at: Uint32Array; weights: Float64Array } => {
  const sums = new Float64Array(powers.length)
  let total = 0
  for (const [index, power] of powers.entries()) {
    total += power ** drawExponent
    sums[index] = total
  }
  const at = Uint32Array.from({ length: examplesPerPiece }, () => {
    const drawn = random.next() * total
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < drawn) low = middle + 1
      else high = middle
    }
    return low
  })
  const weights = Float64Array.from(at, (index) => total / (examplesPerPiece * (powers[index] ?? 0) ** drawExponent))
  return { at, weights }
}

type Spectra = { readonly powers: Float64Array; readonly products: Float64Array[]; readonly energies: number[] }

/** Energy of the mixture in each bin, and its product with each stem, over all channels. */
const compare = ({ sampleRate, parts, mixture }: PieceOfParts): Spectra => {
  const transform = createShortTimeFourier(frameSizeFor(sampleRate))
  const bins = analysedBins(transform, sampleRate)
  const frames = framesToCover(mixture[0]?.length ?? 0, transform.hop)
  const spectrum = () => ({ re: new Float64Array(transform.bins), im: new Float64Array(transform.bins) })
  const [whole, part] = [spectrum(), spectrum()]
  const powers = new Float64Array(frames * bins)
  const products = stemNames.map(() => new Float64Array(frames * bins))
  const energies = stemNames.map(() => 0)
  for (const [index, channel] of mixture.entries())
    for (let frame = 0; frame < frames; frame++) {
      const start = frameStart(frame, transform.hop)
      transform.analyse(channel, start, whole.re, whole.im)
      for (let bin = 0, at = frame * bins; bin < bins; bin++, at++)
        powers[at] = (powers[at] ?? 0) + (whole.re[bin] ?? 0) ** 2 + (whole.im[bin] ?? 0) ** 2
      for (const [stem, name] of stemNames.entries()) {
        transform.analyse(parts[name][index] ?? new Float32Array(), start, part.re, part.im)
        const product = products[stem] ?? new Float64Array()
        for (let bin = 0, at = frame * bins; bin < bins; bin++, at++) {
          const [re, im] = [part.re[bin] ?? 0, part.im[bin] ?? 0]
          product[at] = (product[at] ?? 0) + (whole.re[bin] ?? 0) * re + (whole.im[bin] ?? 0) * im
          energies[stem] = (energies[stem] ?? 0) + re * re + im * im
        }
      }
    }
  return { powers, products, energies }
}

const examplesOf = async (
  generator: MaskExamples['generator'],
  piece: PieceOfParts,
  seed: number,
): Promise<MaskExamples> => {
  const { sampleRate, mixture } = piece
  const transform = createShortTimeFourier(frameSizeFor(sampleRate))
  const reach = { from: 0, to: framesToCover(mixture[0]?.length ?? 0, transform.hop) }
  const stretch = await readStretch(audioInMemory(mixture, sampleRate), transform, reach)
  const bins = analysedBins(transform, sampleRate)
  const grid = { frameSeconds: transform.hop / sampleRate, binHertz: sampleRate / transform.size }
  const options = { signal: new AbortController().signal, onProgress: () => undefined }
  const cuesOfPiece = await findStemCues(spectraOf(stretch, transform, { ...reach, bins }), grid, options)
  const { powers, products, energies } = compare(piece)
  const { at, weights } = draw(powers, createRandom(seed))
  const row = new Float32Array(bins * cueCount)
  const cues = new Float32Array(examplesPerPiece * cueCount)
  const byFrame = Object.groupBy(at.keys(), (example) => Math.floor((at[example] ?? 0) / bins))
  for (const [frame, examples = []] of Object.entries(byFrame)) {
    cuesOfPiece.readFrame(Number(frame), row)
    for (const example of examples) {
      const bin = (at[example] ?? 0) % bins
      cues.set(row.subarray(bin * cueCount, (bin + 1) * cueCount), example * cueCount)
    }
  }
  const sum = energies.reduce((total, energy) => total + energy, 0)
  return {
    generator,
    count: examplesPerPiece,
    cues,
    powers: Float32Array.from(at, (index, i) => (weights[i] ?? 0) * (powers[index] ?? 0)),
    products: Float32Array.from({ length: examplesPerPiece * stemNames.length }, (_, i) => {
      const example = Math.floor(i / stemNames.length)
      return (weights[example] ?? 0) * (products[i % stemNames.length]?.[at[example] ?? 0] ?? 0)
    }),
    energies: energies.map((energy) => Math.max(energy, leastShare * sum)),
    isJudged: energies.map((energy) => energy > leastShare * sum && energy < (1 - leastShare) * sum),
  }
}

const drawnArrangement = (seed: number): Arrangement => {
  const random = createRandom(seed)
  return {
    seed: seed + 1_000,
    bpm: 66 + 100 * random.next(),
    seconds: 12,
    tonic: 55 + Math.floor(12 * random.next()),
    mode: oneOf(random, ['major', 'minor']),
    beat: oneOf(random, ['rock', 'four-floor', 'half-time']),
    harmony: oneOf(random, ['pad', 'plucked', 'organ']),
    bass: oneOf(random, ['saw', 'sine', 'plucked']),
    voice: oneOf(random, ['low', 'high']),
  }
}

/** A piece of one part alone. */
const soloOf = ({ sampleRate, parts }: PieceOfParts, part: PartName): PieceOfParts => {
  const silence = parts[part].map((channel) => new Float32Array(channel.length))
  const silent = { vocals: silence, drums: silence, bass: silence, other: silence }
  return { sampleRate, parts: { ...silent, [part]: parts[part] }, mixture: parts[part] }
}

/** Two of five pieces are in mono, whether they have one part or all. */
const channelsOf = (seed: number): 1 | 2 => (seed % 5 < 2 ? 1 : 2)

/** Every sixth piece is one part alone. */
const pieceOf = (seed: number, piece: PieceOfParts): PieceOfParts => {
  const part = seed % 6 === 5 ? partNames[Math.floor(seed / 6) % partNames.length] : undefined
  return part && !isSilent(piece.parts[part]) ? soloOf(piece, part) : piece
}

/** Examples of pieces of both generators. None of the pieces is one of the benchmark or of the tests. */
export async function* maskExamples(): AsyncGenerator<MaskExamples> {
  for (let seed = 0; seed < 36; seed++) {
    const piece = playParts({ ...drawnArrangement(seed), channels: channelsOf(seed) })
    yield await examplesOf('arrangements', pieceOf(seed, piece), seed)
  }
  for (let seed = 0; seed < 74; seed++) {
    const piece = playMix({ seed: seed + 500, seconds: 16, channels: channelsOf(seed) })
    yield await examplesOf('mixes', pieceOf(seed, piece), seed)
  }
}
