import { meanOf, median } from '../dsp/statistics.ts'
import { type ChromaFrames, chromaBetween } from './chroma.ts'
import { BANDS, HOP, type SpectralFrames } from './spectral-frames.ts'

/** Units of difference: 10 dB in a band, 6 dB overall; harmony as a Hellinger distance, doubled. */
const bandUnitDb = 10
const levelUnitDb = 6
const harmonyWeight = 2
const FEATURES = 2 * BANDS + 12 + 1
/** Share of harmony in what a piece repeats. */
const harmonyShare = 0.7
/** Number of step pairs from which the usual distance of two steps is estimated. */
const chancePairs = 400

/** A stretch of a piece, in samples at ANALYSIS_RATE. */
export type Stretch = { readonly start: number; readonly end: number }

/** How stretches of a piece sound. */
export type StretchSounds = {
  /** Mean levels in dB. */
  readonly levels: readonly number[]
  /** Mean powers, of which loudness is the logarithm: unlike levels, they depend on the loudest bands and moments. */
  readonly powers: readonly number[]
  /** How unlike two stretches are; 1 is as unlike as two random ones. */
  distance(a: number, b: number): number
  /** The same by harmony more than by sound, for finding what a piece repeats. */
  contrast(a: number, b: number): number
}

/** Mean of each band (dB) over the frames between two samples. */
const bandsBetween = (spectral: SpectralFrames, start: number, end: number): Float32Array => {
  const first = Math.min(spectral.frames - 1, Math.max(0, Math.round(start / HOP)))
  const last = Math.min(spectral.frames, Math.max(first + 1, Math.round(end / HOP)))
  const means = new Float32Array(BANDS)
  for (let frame = first; frame < last; frame++) {
    for (let band = 0; band < BANDS; band++) {
      means[band] = (means[band] ?? 0) + (spectral.levels[frame * BANDS + band] ?? 0) / (last - first)
    }
  }
  return means
}

/** Mean power of all bands over the frames between two samples. */
const powerBetween = (spectral: SpectralFrames, { start, end }: Stretch): number => {
  const first = Math.min(spectral.frames - 1, Math.max(0, Math.round(start / HOP)))
  const last = Math.min(spectral.frames, Math.max(first + 1, Math.round(end / HOP)))
  let sum = 0
  for (let at = first * BANDS; at < last * BANDS; at++) sum += 10 ** ((spectral.levels[at] ?? 0) / 10)
  return sum / (last - first)
}

/** Features of a stretch: the bands of its two halves, its harmony and its level, scaled for comparison by distance. */
const describeStretch = (
  spectral: SpectralFrames,
  chroma: ChromaFrames,
  { start, end }: Stretch,
): { features: Float32Array; level: number } => {
  const features = new Float32Array(FEATURES)
  const middle = (start + end) / 2
  const halves = [bandsBetween(spectral, start, middle), bandsBetween(spectral, middle, end)]
  for (const [half, bands] of halves.entries()) {
    for (let band = 0; band < BANDS; band++) {
      features[half * BANDS + band] = (bands[band] ?? 0) / bandUnitDb / Math.sqrt(2 * BANDS)
    }
  }
  const harmony = chromaBetween(chroma, start, end)
  for (let i = 0; i < 12; i++) features[2 * BANDS + i] = Math.sqrt(harmony[i] ?? 0) * harmonyWeight * Math.SQRT1_2
  const level = meanOf(halves.flatMap((bands) => [...bands]))
  features[FEATURES - 1] = level / levelUnitDb
  return { features, level }
}

const euclidean = (a: Float32Array, b: Float32Array, from = 0, to = FEATURES): number => {
  let sum = 0
  for (let i = from; i < to; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    sum += difference * difference
  }
  return Math.sqrt(sum)
}

/** Describes and compares the stretches of a piece. */
export const soundsOf = (
  { spectral, chroma }: { readonly spectral: SpectralFrames; readonly chroma: ChromaFrames },
  stretches: readonly Stretch[],
): StretchSounds => {
  const described = stretches.map((stretch) => describeStretch(spectral, chroma, stretch))
  const features = described.map((one) => one.features)
  const between =
    (from: number, to: number) =>
    (a: number, b: number): number => {
      const [one, other] = [features[a], features[b]]
      return one && other ? euclidean(one, other, from, to) : 0
    }
  // These strides share no factor with most counts, so they cover all pairs evenly and deterministically.
  const usual = (raw: (a: number, b: number) => number) =>
    median(
      Array.from({ length: chancePairs }, (_, i) =>
        raw((i * 7) % features.length, (i * 13 + Math.floor(i / features.length) + 1) % features.length),
      ).filter((value) => value > 0),
    ) || 1
  const [whole, harmony] = [between(0, FEATURES), between(2 * BANDS, 2 * BANDS + 12)]
  const [wholeUnit, harmonyUnit] = [usual(whole), usual(harmony)]
  const distance = (a: number, b: number) => whole(a, b) / wholeUnit
  return {
    levels: described.map(({ level }) => level),
    powers: stretches.map((stretch) => powerBetween(spectral, stretch)),
    distance,
    contrast: (a, b) => (1 - harmonyShare) * distance(a, b) + (harmonyShare * harmony(a, b)) / harmonyUnit,
  }
}
