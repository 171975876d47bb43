import { fluxGroups } from './band-flux.ts'
import { type ChromaFrames, chromaHop } from './chroma.ts'
import { aboveBackground, accentStrengths, chordBands } from './onset-strength.ts'
import { HOP, type SpectralFrames } from './spectral-frames.ts'

/** Evidence for beats and bars at each frame; 1 is a typical clear onset or change, 0 is none. */
export type Activations = {
  readonly frames: number
  /** Sounds of any loudness that begin. */
  readonly onset: Float32Array
  /** Sounds that begin, by how loud they are. */
  readonly accent: Float32Array
  /** Kick and bass that begin. */
  readonly low: Float32Array
  /** Bright sounds that begin, by how loud they are: snare more than cymbals. */
  readonly snare: Float32Array
  /** Sounds in the range of chords that begin, by how loud they are. */
  readonly chords: Float32Array
  /** The harmony changes. */
  readonly harmony: Float32Array
}

/** Frames at the end whose window extends past it: where a piece is cut off, they would show a false attack. */
const cutFrames = 3
/** Half the span (in frames of chroma) over which harmonies before and after are compared. */
const harmonySpan = 5
const largest = 1.5
/** Half the span over which the level of a piece is its local level (frames). */
const localSpan = 400

const localMaximum = (values: Float32Array, at: number): boolean => {
  const value = values[at] ?? 0
  return value > 0 && value >= (values[at - 1] ?? 0) && value > (values[at + 1] ?? 0)
}

/**
 * Scales a curve so that its typical clear peaks are 1, both overall and locally, since sections differ in level; limits it, so
 * that one loud hit does not outweigh a bar; and widens its peaks by a frame, since players are a few milliseconds off.
 */
const normalisePeaks = (values: Float32Array): Float32Array => {
  const [squares, sums] = [new Float64Array(values.length + 1), new Float64Array(values.length + 1)]
  for (let i = 0; i < values.length; i++) {
    const peak = localMaximum(values, i) ? (values[i] ?? 0) : 0
    squares[i + 1] = (squares[i] ?? 0) + peak * peak
    sums[i + 1] = (sums[i] ?? 0) + peak
  }
  const typical = (from: number, to: number) => {
    const sum = (sums[to] ?? 0) - (sums[from] ?? 0)
    return sum > 0 ? ((squares[to] ?? 0) - (squares[from] ?? 0)) / sum : 0
  }
  const overall = typical(0, values.length)
  if (overall <= 0) return new Float32Array(values.length)
  const scaled = values.map((value, i) => {
    const local = typical(Math.max(0, i - localSpan), Math.min(values.length, i + localSpan))
    return Math.min(largest, value / Math.sqrt(overall * Math.max(local, overall / 4)))
  })
  return scaled.map((value, i) => Math.max(value, 0.8 * Math.max(scaled[i - 1] ?? 0, scaled[i + 1] ?? 0)))
}

/** The flux of some groups of bands, with weights. */
const mixFlux = (flux: Float32Array, frames: number, weights: readonly number[]): Float32Array => {
  const mixed = new Float32Array(frames)
  for (let frame = 0; frame < frames - cutFrames; frame++) {
    let sum = 0
    for (let group = 0; group < fluxGroups; group++)
      sum += (weights[group] ?? 0) * (flux[frame * fluxGroups + group] ?? 0)
    mixed[frame] = Math.sqrt(sum)
  }
  return aboveBackground(mixed)
}

/** How unlike the harmonies just before and just after each frame are. */
const harmonyChange = (chroma: ChromaFrames, frames: number): Float32Array => {
  const sums = new Float64Array((chroma.frames + 1) * 12)
  for (let i = 0; i < chroma.frames * 12; i++) sums[i + 12] = (sums[i] ?? 0) + (chroma.values[i] ?? 0)
  const changes = new Float32Array(chroma.frames)
  for (let frame = 1; frame < chroma.frames - 1; frame++) {
    const [from, to] = [Math.max(0, frame - harmonySpan), Math.min(chroma.frames, frame + harmonySpan)]
    let change = 0
    for (let note = 0; note < 12; note++) {
      const at = (index: number) => sums[index * 12 + note] ?? 0
      change += Math.abs((at(to) - at(frame)) / (to - frame) - (at(frame) - at(from)) / (frame - from))
    }
    changes[frame] = change / 2
  }
  const fine = new Float32Array(frames)
  for (let frame = 0; frame < frames; frame++) {
    // The boundary before chroma frame k, whose window is centred on k, is half a hop earlier.
    const at = (frame * HOP) / chromaHop + 0.5
    const [below, share] = [Math.floor(at), at - Math.floor(at)]
    fine[frame] = (changes[below] ?? 0) * (1 - share) + (changes[below + 1] ?? 0) * share
  }
  return aboveBackground(fine)
}

/** Evidence for the beats and bars of a piece. */
export const activationsOf = (flux: Float32Array, spectral: SpectralFrames, chroma: ChromaFrames): Activations => {
  const { frames } = spectral
  const accentStrength = accentStrengths(spectral)
  return {
    frames,
    onset: normalisePeaks(mixFlux(flux, frames, [1, 1, 1, 1])),
    accent: normalisePeaks(accentStrength()),
    low: normalisePeaks(mixFlux(flux, frames, [1, 0.2, 0, 0])),
    snare: normalisePeaks(accentStrength([12, 32])),
    chords: normalisePeaks(accentStrength(chordBands)),
    harmony: normalisePeaks(harmonyChange(chroma, frames)),
  }
}
