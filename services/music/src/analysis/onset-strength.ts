import { BANDS, cutFrames, frameRate, type SpectralFrames } from './spectral-frames.ts'

/** Frames between the levels that are compared for a rise: 23 ms, so that soft attacks count, too. */
const lag = 2
/** The span over which the background is subtracted, in frames. */
const background = Math.round(frameRate * 0.4)

/** The range of bands of kick drum and bass. */
export const lowBands: readonly [number, number] = [0, 5]
export const allBands: readonly [number, number] = [0, BANDS]

/** Subtracts the running mean and clips negative values to 0. */
export const aboveBackground = (values: Float32Array): Float32Array => {
  const sums = new Float64Array(values.length + 1)
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] ?? 0) + (values[i] ?? 0)
  return values.map((value, i) => {
    const from = Math.max(0, i - background)
    const to = Math.min(values.length, i + background + 1)
    return Math.max(0, value - ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from))
  })
}

/**
 * Onset strength at each frame: the square root of the mean rise (dB over LAG frames) of the bands, above its running mean.
 * The root prevents one loud hit from outweighing a bar of soft ones.
 */
export const onsetStrength = (spectral: SpectralFrames, [from, to] = allBands): Float32Array => {
  const { frames, levels } = spectral
  const strength = new Float32Array(frames)
  for (let frame = lag; frame < frames - cutFrames; frame++) {
    const now = frame * BANDS
    const before = now - lag * BANDS
    let rise = 0
    for (let band = from; band < to; band++) {
      const difference = (levels[now + band] ?? 0) - (levels[before + band] ?? 0)
      if (difference > 0) rise += difference
    }
    strength[frame] = Math.sqrt(rise / (to - from))
  }
  return aboveBackground(strength)
}

/** The strength scaled to a standard deviation of 1; all zeros are returned unchanged. */
export const normaliseStrength = (strength: Float32Array): Float32Array => {
  let [sum, squares] = [0, 0]
  for (const value of strength) {
    sum += value
    squares += value * value
  }
  const count = Math.max(1, strength.length)
  const deviation = Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
  return deviation > 0 ? strength.map((value) => value / deviation) : strength
}
