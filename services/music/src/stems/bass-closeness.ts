import { trackPitch } from '../dsp/pitch-track.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { maskSettings } from './mask-settings.ts'
import { below, type Grid } from './percussive-mask.ts'

/** Highest frequency that is searched for harmonics of the bass. */
const searchedHertz = 1_500

/** Square roots of the magnitudes without hits, of the lowest bins: loud partials do not hide the others. */
const compressed = (magnitudes: Spectrogram, hits: Spectrogram, bins: number): Spectrogram => {
  const result = emptySpectrogram(magnitudes.frames, bins)
  for (let frame = 0, at = 0; frame < magnitudes.frames; frame++)
    for (let bin = 0; bin < bins; bin++, at++) {
      const from = frame * magnitudes.bins + bin
      result.values[at] = Math.sqrt((magnitudes.values[from] ?? 0) * Math.sqrt(1 - (hits.values[from] ?? 0)))
    }
  return result
}

/** How close each bin is to a harmonic of the lowest line in a range of pitches, 0 to 1. */
export const bassCloseness = (
  magnitudes: Spectrogram,
  hits: Spectrogram,
  { frameSeconds, binHertz }: Grid,
  [lowestHertz, highestHertz]: readonly [number, number],
): Spectrogram => {
  const { bassTopHertz, bassWidthHertz, lowBassShare, lowBassHertz } = maskSettings
  const { frames, bins } = magnitudes
  const searched = Math.min(bins, Math.ceil(searchedHertz / binHertz))
  const track = trackPitch(compressed(magnitudes, hits, searched), {
    lowestHertz,
    highestHertz,
    binHertz,
    harmonics: 4,
    decay: 0.7,
    resolution: 36,
    changeCost: 1,
    // Two octaves a second are enough for a leap within a frame.
    maxChange: Math.ceil(48 * Math.max(1, frameSeconds / 0.0232)),
  })
  const closeness = emptySpectrogram(frames, bins)
  const top = Math.min(bins, Math.ceil(bassTopHertz / binHertz))
  for (let frame = 0; frame < frames; frame++) {
    const pitch = track.hertz[frame] ?? 0
    for (let bin = 0; bin < top; bin++) {
      const hertz = bin * binHertz
      const harmonic = Math.max(1, Math.round(hertz / pitch))
      const distance = (hertz - harmonic * pitch) / bassWidthHertz
      const near = Math.exp(-0.5 * distance * distance)
      closeness.values[frame * bins + bin] =
        harmonic === 1
          ? Math.max(near, lowBassShare * below(hertz, lowBassHertz, 0.4))
          : near * below(hertz, bassTopHertz, 0.6)
    }
  }
  return closeness
}
