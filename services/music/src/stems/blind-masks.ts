import { setImmediate as nextTurn } from 'node:timers/promises'
import { repeatingBackground } from '../dsp/repeating-background.ts'
import type { Spectrogram } from '../dsp/spectrogram.ts'
import { bassMask } from './bass-mask.ts'
import { maskSettings } from './mask-settings.ts'
import { type Grid, percussiveMask } from './percussive-mask.ts'
import type { SegmentSpectra } from './segment-spectra.ts'
import type { SeparationOptions } from './separator.ts'
import { voiceMask } from './voice-mask.ts'

/** Masks of vocals, drums and bass, 0 to 1, whose sum is at most 1: the rest belongs to `other`. */
export type Masks = readonly [vocals: Spectrogram, drums: Spectrogram, bass: Spectrogram]

/**
 * Computes the masks of a segment without a model: hits by median filters, the bass by its pitch, the voice by its pitch, its
 * place in the stereo image, and because it does not repeat. Each later mask divides what the earlier ones have left.
 */
export const blindMasks = async (
  { magnitudes, centre }: SegmentSpectra,
  grid: Grid,
  { signal, onProgress }: SeparationOptions,
): Promise<Masks> => {
  // Every step takes up to a second; between them the worker handles its messages, such as a cancellation.
  const pause = async () => {
    await nextTurn()
    signal.throwIfAborted()
  }
  const { hits, sustained } = percussiveMask(magnitudes, grid)
  await pause()
  onProgress(0.25)
  const background = await repeatingBackground(
    magnitudes,
    {
      neighbours: maskSettings.repetitions,
      apart: Math.max(1, Math.round(maskSettings.repetitionSeconds / grid.frameSeconds)),
    },
    pause,
  )
  onProgress(0.6)
  const bass = bassMask(magnitudes, hits, grid)
  await pause()
  const vocals = voiceMask({ magnitudes, hits, sustained, bass, background, centre }, grid)
  for (let at = 0; at < hits.values.length; at++) {
    const left = 1 - (hits.values[at] ?? 0)
    const low = left * (bass.values[at] ?? 0)
    bass.values[at] = low
    vocals.values[at] = (left - low) * (vocals.values[at] ?? 0)
  }
  onProgress(1)
  return [vocals, hits, bass]
}
