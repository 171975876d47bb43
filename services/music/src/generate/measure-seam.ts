import { analyse } from '../analysis/analyse.ts'
import { lowBands, onsetStrength } from '../analysis/onset-strength.ts'
import { analysisRate, BANDS, computeSpectralFrames, HOP, type SpectralFrames } from '../analysis/spectral-frames.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, monoOf } from '../audio/pcm.ts'
import { resample } from '../audio/resample.ts'
import { median, parabolicOffset } from '../dsp/statistics.ts'
import { passageAt, passagesOf } from './passages.ts'

/** How a continuation joins the preceding audio; values that cannot be measured are null. */
export type SeamFigures = {
  /**
   * Strangeness of the seam among all positions of the preceding audio (0..100): the share of those positions whose passage is
   * more similar to some other passage of the music than the seam is. 50 is an ordinary position, 100 is unlike anything in
   * the music.
   */
  readonly distancePercentile: number | null
  /** Absolute difference of the loudness of the 3 s on both sides, in LU. */
  readonly loudnessStepLu: number | null
  /** Absolute difference between the beat after the seam and the continued beat before it, in ms. */
  readonly beatErrorMs: number | null
}

export type SeamSides = {
  /** The audio before the seam, up to its end; the last 40 s are used. */
  readonly before: Block
  /** The audio after the seam, from its start; the first 40 s are used. */
  readonly after: Block
  readonly sampleRate: number
}

/** Seconds of each side that are used in all, and for comparing loudness. */
export const seamSeconds = 40
const loudnessSeconds = 3
/** Resolution of a beat when onset patterns are compared. */
const phases = 64
/** Beats after the seam from which the pattern is computed. */
const beatsAfter = 8
/** Beats after the seam that are compared with those before, at least two: in music whose tempo moves, later ones are elsewhere for that reason alone. */
const beatsCompared = 4
const beatsBefore = 12
/** A share of a beat larger than any player's inaccuracy. */
const largeMiss = 0.2
/** Below this clarity a beat is too inexact for an error in milliseconds. */
const minClarity = 0.3

/** Rank of the passage at the seam among those before it, each compared with all others that do not overlap it. */
const distancePercentile = (spectral: SpectralFrames, seamFrame: number): number | null => {
  const atSeam = passageAt(spectral, seamFrame)
  const before = passagesOf(spectral, seamFrame)
  if (!atSeam || !before) return null
  const strangeness = before.strangeness(atSeam)
  const ordinary = before.ordinary()
  return (100 * ordinary.filter((value) => value < strangeness).length) / ordinary.length
}

const bandGroups: readonly (readonly [number, number])[] = [lowBands, [5, 16], [16, BANDS]]

/** Onsets folded over one beat: for each group of bands the mean strength at each of PHASES parts of a beat. */
const foldOnsets = (strengths: readonly Float32Array[], from: number, to: number, period: number): Float64Array[] =>
  strengths.map((strength) => {
    const sums = new Float64Array(phases)
    for (let frame = Math.max(0, Math.ceil(from / HOP)); frame * HOP < to && frame < strength.length; frame++) {
      const position = ((((frame * HOP - from) / period) % 1) + 1) % 1
      // Split between the two nearest parts, since a fast beat has fewer frames than parts.
      const exact = position * phases
      const share = exact - Math.floor(exact)
      const [low, high] = [Math.floor(exact) % phases, (Math.floor(exact) + 1) % phases]
      sums[low] = (sums[low] ?? 0) + (strength[frame] ?? 0) * (1 - share)
      sums[high] = (sums[high] ?? 0) + (strength[frame] ?? 0) * share
    }
    return sums
  })

/** Shift in beats (signed, -0.5..0.5) that aligns one folded pattern with the other. */
const phaseBetween = (before: readonly Float64Array[], after: readonly Float64Array[]): number => {
  const match = Array.from({ length: phases }, (_, shift) =>
    before.reduce((sum, pattern, group) => {
      const other = after[group] ?? pattern
      const norm = (values: Float64Array) => Math.sqrt(values.reduce((total, value) => total + value * value, 0)) || 1
      let product = 0
      for (let i = 0; i < phases; i++) product += (pattern[i] ?? 0) * (other[(i + shift) % phases] ?? 0)
      return sum + product / (norm(pattern) * norm(other))
    }, 0),
  )
  const best = match.indexOf(Math.max(...match))
  const at = (i: number) => match[(i + phases) % phases] ?? 0
  const shift = (best + parabolicOffset(at(best - 1), at(best), at(best + 1))) / phases
  return shift > 0.5 ? shift - 1 : shift
}

/** The pulse that fits the last beats best: a time near the last of them, and the period. Samples at ANALYSIS_RATE. */
const pulseOf = (beats: readonly number[]): { last: number; period: number } => {
  const centre = (beats.length - 1) / 2
  const mean = beats.reduce((sum, beat) => sum + beat, 0) / beats.length
  let [product, squares] = [0, 0]
  for (const [i, beat] of beats.entries()) {
    product += (i - centre) * (beat - mean)
    squares += (i - centre) ** 2
  }
  const period = product / squares
  return { last: mean + centre * period, period }
}

/** Distance in beats (0..0.5) of the beats after the seam from a pulse; at double tempo, that of the better half of them. */
const missOf = (beats: readonly number[], { last, period }: { last: number; period: number }): number => {
  const misses = beats.map((beat) => {
    const position = (beat - last) / period
    return Math.abs(position - Math.round(position))
  })
  const isDouble = ((beats.at(-1) ?? 0) - (beats[0] ?? 0)) / Math.max(1, beats.length - 1) < period * 0.7
  const halves = isDouble ? [0, 1].map((half) => misses.filter((_, i) => i % 2 === half)) : [misses]
  return Math.min(...halves.map((half) => median(half)))
}

/**
 * Error of the beat after the seam. The beats of both sides are tracked independently; since a tracker may mistake the
 * off-beat for the beat, a large error is checked by aligning the onset patterns.
 */
const beatErrorMs = (
  before: Float32Array,
  after: Float32Array,
  joined: SpectralFrames,
  seam: number,
): number | null => {
  const [analysisBefore, analysisAfter] = [analyse(before), analyse(after)]
  if ([analysisBefore, analysisAfter].some(({ bpm, clarity }) => bpm === null || clarity < minClarity)) return null
  const beats = analysisBefore.beats.slice(-beatsBefore).map((beat) => beat + seam - before.length)
  const pulse = pulseOf(beats)
  const { last, period } = pulse
  const tracked = missOf(
    analysisAfter.beats.filter((beat, i) => i < 2 || beat < (beatsCompared + 0.5) * period).map((beat) => beat + seam),
    pulse,
  )
  const inMilliseconds = (share: number) => share * (period / analysisRate) * 1000
  if (tracked < largeMiss) return inMilliseconds(tracked)
  const strengths = bandGroups.map((bands) => onsetStrength(joined, bands))
  const ahead = Math.ceil((seam - last) / period) * period + last
  const patternBefore = foldOnsets(strengths, last - (beats.length - 1) * period, seam, period)
  const patternAfter = foldOnsets(strengths, ahead, ahead + beatsAfter * period, period)
  return inMilliseconds(Math.min(tracked, Math.abs(phaseBetween(patternBefore, patternAfter))))
}

const loudnessStep = ({ before, after, sampleRate }: SeamSides): number | null => {
  const frames = Math.round(loudnessSeconds * sampleRate)
  const lufsBefore = loudnessOf(
    before.map((channel) => channel.subarray(Math.max(0, channel.length - frames))),
    sampleRate,
  )
  const lufsAfter = loudnessOf(
    after.map((channel) => channel.subarray(0, frames)),
    sampleRate,
  )
  return lufsBefore === null || lufsAfter === null ? null : Math.abs(lufsAfter - lufsBefore)
}

/** Measures a seam from the audio alone, regardless of the generator. */
export const measureSeam = (sides: SeamSides): SeamFigures => {
  const { sampleRate } = sides
  const reach = Math.round(seamSeconds * sampleRate)
  const last = sides.before.map((channel) => channel.subarray(Math.max(0, channel.length - reach)))
  const first = sides.after.map((channel) => channel.subarray(0, reach))
  // Both sides are resampled together, so that the seam is measured and not the edges of two filters.
  const together = last.map((channel, index) => {
    const other = first[index] ?? new Float32Array(0)
    const whole = new Float32Array(channel.length + other.length)
    whole.set(channel)
    whole.set(other, channel.length)
    return whole
  })
  const joined = resample(monoOf(together), sampleRate, analysisRate)
  const seam = Math.round(((last[0]?.length ?? 0) * analysisRate) / sampleRate)
  // The start is cut so that a frame is centred on the seam.
  const skipped = seam % HOP
  const aligned = joined.subarray(skipped)
  const spectral = computeSpectralFrames(aligned)
  const seamFrame = (seam - skipped) / HOP
  return {
    distancePercentile: distancePercentile(spectral, seamFrame),
    loudnessStepLu: loudnessStep(sides),
    beatErrorMs: beatErrorMs(joined.subarray(0, seam), joined.subarray(seam), spectral, seam - skipped),
  }
}
