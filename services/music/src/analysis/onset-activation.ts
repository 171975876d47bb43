import { fluxGroups } from './band-flux.ts'
import { aboveBackground } from './onset-strength.ts'
import { cutFrames } from './spectral-frames.ts'

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

/** Sounds of any loudness that begin, at each frame: 1 is a typical clear onset, 0 is none. */
export const onsetActivation = (flux: Float32Array, frames: number): Float32Array => {
  const sums = new Float32Array(frames)
  for (let frame = 0; frame < frames - cutFrames; frame++) {
    let sum = 0
    for (let group = 0; group < fluxGroups; group++) sum += flux[frame * fluxGroups + group] ?? 0
    sums[frame] = Math.sqrt(sum)
  }
  return normalisePeaks(aboveBackground(sums))
}
