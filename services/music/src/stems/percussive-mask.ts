import { harmonicPercussive } from '../dsp/harmonic-percussive.ts'
import { oddTaps } from '../dsp/median-filter.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { clamp } from '../dsp/statistics.ts'
import { maskSettings } from './mask-settings.ts'

/** Durations and widths of the frames and bins of a spectrogram. */
export type Grid = {
  readonly frameSeconds: number
  readonly binHertz: number
}

/** The weight of a range that ends at `hertz`: 1 well below it, 0 above. */
export const below = (at: number, hertz: number, softness: number): number =>
  clamp((hertz - at) / (hertz * softness), 0, 1)

const unheard = 1e-20

/** The share of each bin that belongs to hits, and the magnitudes of the sustained sound. */
export const percussiveMask = (
  magnitudes: Spectrogram,
  { frameSeconds, binHertz }: Grid,
): { hits: Spectrogram; sustained: Spectrogram } => {
  const { sustainedSeconds, hitHertz, lowHitHertz } = maskSettings
  const { frames, bins, values } = magnitudes
  const { harmonic, percussive } = harmonicPercussive(magnitudes, {
    timeTaps: oddTaps(sustainedSeconds / frameSeconds),
    frequencyTaps: oddTaps(hitHertz / binHertz),
  })
  const hits = emptySpectrogram(frames, bins)
  const lowWeights = Float32Array.from({ length: bins }, (_, bin) => below(bin * binHertz, lowHitHertz, 0.4))
  for (let frame = 0, at = 0; frame < frames; frame++)
    for (let bin = 0; bin < bins; bin++, at++) {
      const sustained = harmonic.values[at] ?? 0
      const low = lowWeights[bin] ?? 0
      const rest = Math.max(0, (values[at] ?? 0) - sustained)
      const hit = low * rest + (1 - low) * (percussive.values[at] ?? 0)
      hits.values[at] = (hit * hit) / (hit * hit + sustained * sustained + unheard)
    }
  return { hits, sustained: harmonic }
}
