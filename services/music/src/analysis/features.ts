import { attacksOf, envelopeHop, envelopeLevels } from './attack-envelope.ts'
import { createFluxMeter, fluxGroups } from './band-flux.ts'
import { type ChromaFrames, chromaHop, chromaOf, findPeaks, joinPeaks, type Peaks, slicePeaks } from './chroma.ts'
import type { MonoPiece } from './mono-piece.ts'
import { BANDS, createLevelMeter, eachSpectrum, HOP, type SpectralFrames, toSpectralFrames } from './spectral-frames.ts'

/**
 * Measured features of a stretch of a piece. They do not depend on the rest of the piece, so stretches can be stored and
 * joined. Stretches are counted in parts of PART_SAMPLES.
 */
export type Features = {
  /** Levels of mel bands, from createLevelMeter. */
  readonly levels: Float32Array
  /** From createFluxMeter. */
  readonly flux: Float32Array
  readonly envelope: Float32Array
  readonly peaks: Peaks
}

/** Samples (at ANALYSIS_RATE) of a part: one frame of chroma, and a whole number of the other frames. */
export const partSamples = chromaHop
export const framesPerPart = partSamples / HOP
export const envelopePerPart = partSamples / envelopeHop
/** How far frames extend beyond their part; before it, one whole part is enough. */
const lookahead = 2048
/** Samples at the end of a piece that the resampler would produce differently if it continued: 25 at the lowest rate. */
const unsettled = 64
/** Parts measured per batch: 24 s. */
const partsAtOnce = 256

/** How many parts of a piece of `samples` samples do not change, whatever follows it. */
export const settledParts = (samples: number): number =>
  Math.max(0, Math.floor((samples - lookahead - unsettled) / partSamples))

/** Levels and flux of the frames of a mono signal at ANALYSIS_RATE; frame k is centred on sample `offset` + k × HOP. */
export const measureBands = (
  signal: Float32Array,
  offset: number,
  frames: number,
): Pick<Features, 'levels' | 'flux'> => {
  const [levelMeter, fluxMeter] = [createLevelMeter(frames), createFluxMeter(frames)]
  eachSpectrum(signal, offset, frames, [levelMeter, fluxMeter])
  return { levels: levelMeter.levels, flux: fluxMeter.flux }
}

/** Measures the features of some parts of a piece; with `endPart` undefined, up to its end, including a partial part. */
export const measureFeatures = async (
  piece: MonoPiece,
  startPart: number,
  endPart?: number,
  signal?: AbortSignal,
): Promise<Features> => {
  const last = endPart ?? Math.ceil(piece.samples / partSamples)
  const found: Features[] = []
  for (let part = startPart; part < last; part += partsAtOnce) {
    signal?.throwIfAborted()
    const [from, to] = [part * partSamples, Math.min(last, part + partsAtOnce) * partSamples]
    const until = endPart === undefined ? Math.min(to, piece.samples) : to
    const lead = Math.min(from, partSamples)
    const samples = await piece.read(from - lead, to + lookahead)
    found.push({
      ...measureBands(samples, lead, Math.ceil((until - from) / HOP)),
      envelope: envelopeLevels(samples.subarray(lead, lead + until - from)),
      peaks: findPeaks(samples, lead, Math.ceil((until - from) / chromaHop)),
    })
  }
  return joinFeatures(found)
}

const joinArrays = (arrays: readonly Float32Array[]): Float32Array => {
  const joined = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    joined.set(array, at)
    at += array.length
  }
  return joined
}

/** Joins consecutive stretches. */
export const joinFeatures = (stretches: readonly Features[]): Features => ({
  levels: joinArrays(stretches.map(({ levels }) => levels)),
  flux: joinArrays(stretches.map(({ flux }) => flux)),
  envelope: joinArrays(stretches.map(({ envelope }) => envelope)),
  peaks: joinPeaks(stretches.map(({ peaks }) => peaks)),
})

/** The parts from `start` to `end`, or to the last. */
export const sliceFeatures = ({ levels, flux, envelope, peaks }: Features, start: number, end?: number): Features => {
  const cut = (values: Float32Array, perPart: number) =>
    values.subarray(start * perPart, end === undefined ? undefined : end * perPart)
  return {
    levels: cut(levels, framesPerPart * BANDS),
    flux: cut(flux, framesPerPart * fluxGroups),
    envelope: cut(envelope, envelopePerPart),
    peaks: slicePeaks(peaks, start, end),
  }
}

/** Features relative to the whole piece: levels above its floor, harmony by its tuning, attacks. */
export type Sound = {
  /** Samples at ANALYSIS_RATE. */
  readonly samples: number
  readonly spectral: SpectralFrames
  readonly flux: Float32Array
  readonly chroma: ChromaFrames
  readonly peaks: Peaks
  readonly attacks: Float32Array
  /** The loudest 1.5 ms, relative to full scale. */
  readonly loudest: number
}

export const soundOf = ({ levels, flux, envelope, peaks }: Features, samples: number): Sound => ({
  samples,
  spectral: toSpectralFrames(levels),
  flux,
  chroma: chromaOf(peaks),
  peaks,
  attacks: attacksOf(envelope),
  loudest: envelope.reduce((max, level) => Math.max(max, level), 0),
})
