import type { Activations } from './activations.ts'
import { type BarModel, barModels, beatsPerBar, type Division } from './metres.ts'

/** Weights of the kinds of evidence, chosen on synthesised pieces other than those of the benchmark. */
const weights = { onset: 1, accent: 2.6, low: 0.7, snare: 0.8, harmony: 3, division: 1.3, backbeat: 1.5 }
/** Difference of two backbeats of a bar that is usual. */
const usualDifference = 0.3
/** Expected strength of a beat: above 1, since one that is as strong as what lies between beats is none. */
const expected = { onset: 1, accent: 1.3 }

export const evidenceWeights = { weights, expected, usualDifference } as const

/** Log likelihood (up to a constant) of evidence `value` where `mean` is usual, with unit variance. */
const fit = (value: number, mean: number): number => value * mean - (mean * mean) / 2

/** How well a beat fits each frame, whatever its position in its bar. */
export const beatEvidence = ({ frames, onset, accent }: Activations): Float32Array => {
  const fits = new Float32Array(frames)
  for (let i = 0; i < frames; i++)
    fits[i] = weights.onset * fit(onset[i] ?? 0, expected.onset) + weights.accent * fit(accent[i] ?? 0, expected.accent)
  return fits
}

const contrast = (values: readonly number[], position: number): number =>
  (values[position] ?? 0) - values.reduce((sum, value) => sum + value, 0) / values.length

/** How well a beat at each position of each kind of bar fits each frame, in the order of the models and their positions. */
export const positionEvidence = (activations: Activations): Float32Array[] => {
  const { low, snare, harmony } = activations
  const beat = beatEvidence(activations)
  return barModels.flatMap((model: BarModel) =>
    Array.from({ length: beatsPerBar[model.metre] }, (_, position) => {
      const [l, s, h] = [
        weights.low * contrast(model.low, position),
        weights.snare * contrast(model.snare, position),
        weights.harmony * contrast(model.harmony, position),
      ]
      return beat.map((value, i) => value + l * (low[i] ?? 0) + s * (snare[i] ?? 0) + h * (harmony[i] ?? 0))
    }),
  )
}

/** Evidence that something begins, for what lies between beats. */
export const divisionEvidence = ({ onset, accent }: Activations): Float32Array =>
  onset.map(
    (value, i) => (value * weights.onset + (accent[i] ?? 0) * weights.accent) / (weights.onset + weights.accent),
  )

/**
 * Cost of a backbeat that is unlike the one half a bar (`halfBar` frames) before it. Drummers play both alike, so where every other
 * one is missing, the pulse is twice as fast as the music.
 */
export const backbeatCost = ({ snare }: Activations, frame: number, halfBar: number): number => {
  const at = frame - halfBar
  const before = Math.max(snare[at - 1] ?? 0, snare[at] ?? 0, snare[at + 1] ?? 0)
  return weights.backbeat * Math.max(0, Math.abs((snare[frame] ?? 0) - before) - usualDifference)
}

/**
 * Creates a function that returns how well the evidence within a beat of `length` (at most `longest`) frames from `start` fits a
 * division. Where the parts of a beat lie depends on its length alone, so that is computed once.
 */
export const createDivisionFit = (
  evidence: Float32Array,
  division: Division,
  longest: number,
): ((start: number, length: number) => number) => {
  const parts = division.length
  const strengths = Float64Array.from(division, ([, strength]) => strength)
  const offsets = Int32Array.from({ length: (longest + 1) * parts }, (_, i) =>
    Math.round((division[i % parts]?.[0] ?? 0) * Math.floor(i / parts)),
  )
  return (start, length) => {
    let sum = 0
    for (let i = 0; i < parts; i++)
      sum += fit(evidence[start + (offsets[length * parts + i] ?? 0)] ?? 0, strengths[i] ?? 0)
    return weights.division * sum
  }
}
