import { createMedianFilter } from './median-filter.ts'
import { emptySpectrogram, frameOf, type Spectrogram } from './spectrogram.ts'

/** The median along time of each bin, over `taps` frames. */
export const medianAlongTime = ({ frames, bins, values }: Spectrogram, taps: number): Spectrogram => {
  const result = emptySpectrogram(frames, bins)
  const alongTime = createMedianFilter(taps)
  // Columns are copied: strided access would miss the cache at every step of the window.
  const column = new Float32Array(frames)
  const filtered = new Float32Array(frames)
  for (let bin = 0; bin < bins; bin++) {
    for (let frame = 0, at = bin; frame < frames; frame++, at += bins) column[frame] = values[at] ?? 0
    alongTime(column, filtered, frames)
    for (let frame = 0, at = bin; frame < frames; frame++, at += bins) result.values[at] = filtered[frame] ?? 0
  }
  return result
}

/**
 * Magnitudes of the sustained and the impulsive part of a spectrogram (FitzGerald, DAFx-10): medians along time retain
 * horizontal lines, medians along frequency retain vertical ones.
 */
export const harmonicPercussive = (
  magnitudes: Spectrogram,
  { timeTaps, frequencyTaps }: { timeTaps: number; frequencyTaps: number },
): { harmonic: Spectrogram; percussive: Spectrogram } => {
  const { frames, bins } = magnitudes
  const percussive = emptySpectrogram(frames, bins)
  const alongFrequency = createMedianFilter(frequencyTaps)
  for (let frame = 0; frame < frames; frame++)
    alongFrequency(frameOf(magnitudes, frame), frameOf(percussive, frame), bins)
  return { harmonic: medianAlongTime(magnitudes, timeTaps), percussive }
}
