import { frameOf, type Spectrogram } from './spectrogram.ts'

export type PitchSearch = {
  readonly lowestHertz: number
  readonly highestHertz: number
  /** Width of a bin in Hz. */
  readonly binHertz: number
  /** Harmonics that support a pitch. */
  readonly harmonics: number
  /** Weight of a harmonic relative to the one below. */
  readonly decay: number
  /** Steps per octave. */
  readonly resolution: number
  /** Cost of a change of pitch by one octave between frames, in units of the mean of the best saliences. */
  readonly changeCost: number
  /** Maximum change per frame, in steps. */
  readonly maxChange: number
}

/** The pitch of each frame (Hz), and how salient it is: the share of the frame's magnitude that its harmonics explain. */
export type PitchTrack = { readonly hertz: Float32Array; readonly salience: Float32Array }

const interpolated = (row: Float32Array, at: number): number => {
  const below = Math.floor(at)
  const share = at - below
  return (row[below] ?? 0) * (1 - share) + (row[below + 1] ?? 0) * share
}

/** Salience of all candidates in a frame: a weighted sum of square roots of magnitudes at the harmonics. */
const saliencesOf = (row: Float32Array, candidates: Float32Array, { binHertz, harmonics, decay }: PitchSearch) => {
  const limit = row.length - 1
  return candidates.map((hertz) => {
    let [sum, weight] = [0, 1]
    for (let harmonic = 1; harmonic <= harmonics; harmonic++, weight *= decay) {
      const at = (hertz * harmonic) / binHertz
      if (at >= limit) break
      // What lies halfway between harmonics contradicts the pitch: without that, its octave below would be as salient.
      sum += weight * (interpolated(row, at) - 0.5 * interpolated(row, at - hertz / binHertz / 2))
    }
    return Math.max(0, sum)
  })
}

/** Tracks the most salient pitch as a smooth line (Viterbi), from compressed magnitudes. */
export const trackPitch = (compressed: Spectrogram, search: PitchSearch): PitchTrack => {
  const { frames } = compressed
  const { lowestHertz, highestHertz, resolution, changeCost, maxChange } = search
  const count = Math.floor(Math.log2(highestHertz / lowestHertz) * resolution) + 1
  const candidates = Float32Array.from({ length: count }, (_, i) => lowestHertz * 2 ** (i / resolution))
  const rows = Array.from({ length: frames }, (_, frame) => saliencesOf(frameOf(compressed, frame), candidates, search))
  const mean = rows.reduce((sum, row) => sum + Math.max(...row), 0) / Math.max(1, frames)
  const costPerStep = (changeCost * mean) / resolution
  const origins = new Int16Array(frames * count)
  let totals = new Float64Array(count)
  for (const [frame, row] of rows.entries()) {
    const next = new Float64Array(count)
    for (let to = 0; to < count; to++) {
      let best = Number.NEGATIVE_INFINITY
      let origin = to
      const end = Math.min(count - 1, to + maxChange)
      for (let from = Math.max(0, to - maxChange); from <= end; from++) {
        const value = (totals[from] ?? 0) - costPerStep * Math.abs(to - from)
        if (value > best) {
          best = value
          origin = from
        }
      }
      next[to] = best + (row[to] ?? 0)
      origins[frame * count + to] = origin
    }
    totals = next
  }
  const hertz = new Float32Array(frames)
  const salience = new Float32Array(frames)
  let at = totals.indexOf(Math.max(...totals))
  for (let frame = frames - 1; frame >= 0; frame--) {
    hertz[frame] = candidates[at] ?? 0
    salience[frame] = rows[frame]?.[at] ?? 0
    at = origins[frame * count + at] ?? 0
  }
  return { hertz, salience }
}
