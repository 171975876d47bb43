import type { Analysis } from '../analysis/analyse.ts'
import { chromaBetween } from '../analysis/chroma.ts'
import { analysisRate, BANDS, HOP } from '../analysis/spectral-frames.ts'
import { meanOf, median } from '../dsp/statistics.ts'

/**
 * A stretch of the source that is always played whole: a beat where the music has a pulse, else a short stretch of fixed
 * length. Times are samples at ANALYSIS_RATE.
 */
export type Step = {
  readonly start: number
  readonly end: number
  /** Position within its bar (0 is the downbeat); always 0 without bars. */
  readonly barPosition: number
  /** Mean level in dB. */
  readonly level: number
}

/** The source cut into comparable steps. */
export type StepGrid = {
  readonly kind: 'beats' | 'texture'
  readonly steps: readonly Step[]
  /** Steps per bar; 1 without bars. */
  readonly stepsPerBar: number
  /** The step in which the source ends, and the position of the end within it (0..1). */
  readonly endStep: number
  readonly endPhase: number
  /** Median level of all steps in dB. */
  readonly medianLevel: number
  /** How unlike two steps are; 1 is as unlike as two random steps. */
  distance(a: number, b: number): number
}

/** Length of a step without a pulse (s), and the minimum number of steps of a short source. */
const textureStep = 0.75
const fewestSteps = 8
/** Units of difference: 10 dB in a band, 6 dB overall; harmony as a Hellinger distance, doubled. */
const bandUnitDb = 10
const levelUnitDb = 6
const harmonyWeight = 2
const FEATURES = 2 * BANDS + 12 + 1
/** Number of step pairs from which the usual distance of two steps is estimated. */
const chancePairs = 400

const evenBoundaries = (samples: number): number[] => {
  const length = Math.min(textureStep * analysisRate, samples / fewestSteps)
  const count = Math.max(1, Math.floor(samples / length))
  return Array.from({ length: count }, (_, i) => i * length)
}

/** Mean of each band (dB) over the frames between two samples. */
const bandsBetween = ({ spectral }: Analysis, start: number, end: number): Float32Array => {
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

/** Features of a step: the bands of its two halves, its harmony and its level, scaled for comparison by distance. */
const describeStep = (analysis: Analysis, start: number, end: number): { features: Float32Array; level: number } => {
  const features = new Float32Array(FEATURES)
  const middle = (start + end) / 2
  const halves = [bandsBetween(analysis, start, middle), bandsBetween(analysis, middle, end)]
  for (const [half, bands] of halves.entries()) {
    for (let band = 0; band < BANDS; band++) {
      features[half * BANDS + band] = (bands[band] ?? 0) / bandUnitDb / Math.sqrt(2 * BANDS)
    }
  }
  const harmony = chromaBetween(analysis.chroma, start, end)
  for (let i = 0; i < 12; i++) features[2 * BANDS + i] = Math.sqrt(harmony[i] ?? 0) * harmonyWeight * Math.SQRT1_2
  const level = meanOf(halves.flatMap((bands) => [...bands]))
  features[FEATURES - 1] = level / levelUnitDb
  return { features, level }
}

const euclidean = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < FEATURES; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    sum += difference * difference
  }
  return Math.sqrt(sum)
}

/** The step that contains a time. */
const stepAt = (boundaries: readonly number[], time: number): number => {
  const next = boundaries.findIndex((boundary) => boundary > time)
  return next < 0 ? boundaries.length - 1 : Math.max(0, next - 1)
}

/** Cuts an analysed source into steps: beats if it has a pulse and enough beats, else an even grid. */
export const cutIntoSteps = (analysis: Analysis): StepGrid => {
  const { samples, beats, bars } = analysis
  const kind = analysis.bpm !== null && beats.length >= fewestSteps ? 'beats' : 'texture'
  const boundaries = kind === 'beats' ? [...beats] : evenBoundaries(samples)
  const lastLength = (boundaries.at(-1) ?? 0) - (boundaries.at(-2) ?? 0)
  const stepsPerBar = kind === 'beats' ? bars.beatsPerBar : 1
  const described = boundaries.map((start, i) => {
    const end = boundaries[i + 1] ?? start + lastLength
    const barPosition = (((i - bars.downbeat) % stepsPerBar) + stepsPerBar) % stepsPerBar
    return { start, end, barPosition, ...describeStep(analysis, start, Math.min(end, samples)) }
  })
  const features = described.map((step) => step.features)
  const raw = (a: number, b: number): number => {
    const [one, other] = [features[a], features[b]]
    return one && other ? euclidean(one, other) : 0
  }
  // These strides share no factor with most counts, so they cover all pairs evenly and deterministically.
  const chance = Array.from({ length: chancePairs }, (_, i) =>
    raw((i * 7) % features.length, (i * 13 + Math.floor(i / features.length) + 1) % features.length),
  ).filter((value) => value > 0)
  const unit = median(chance) || 1
  const endStep = stepAt(boundaries, samples)
  const end = described[endStep]
  return {
    kind,
    steps: described.map(({ start, end: stepEnd, barPosition, level }) => ({
      start,
      end: stepEnd,
      barPosition,
      level,
    })),
    stepsPerBar,
    endStep,
    endPhase: end ? Math.min(0.999, Math.max(0, (samples - end.start) / (end.end - end.start))) : 0,
    medianLevel: median(described.map((step) => step.level)),
    distance: (a, b) => raw(a, b) / unit,
  }
}
