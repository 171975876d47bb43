import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { sharesOf, toNetwork } from './mask-network.ts'
import { maskWeights } from './mask-weights.ts'
import type { Grid } from './percussive-mask.ts'
import type { SegmentSpectra } from './segment-spectra.ts'
import type { SeparationOptions } from './separator.ts'
import { cueCount, findStemCues, pause } from './stem-cues.ts'
import { stemNames } from './stem-names.ts'

/** Masks of vocals, drums and bass, 0 to 1, whose sum is at most 1: the rest belongs to `other`. */
export type Masks = readonly [vocals: Spectrogram, drums: Spectrogram, bass: Spectrogram]

const network = toNetwork(maskWeights)

/** Frames after which the worker handles its messages: some 100 ms. */
const framesPerPause = 100

/** Computes the masks of a segment without a model of the user, from cues by a small network (docs/decisions/0059-a-small-network-masks-stems.md). */
export const blindMasks = async (spectra: SegmentSpectra, grid: Grid, options: SeparationOptions): Promise<Masks> => {
  const cues = await findStemCues(spectra, grid, options)
  const { frames, bins } = cues
  const [vocals, drums, bass] = [
    emptySpectrogram(frames, bins),
    emptySpectrogram(frames, bins),
    emptySpectrogram(frames, bins),
  ]
  const row = new Float32Array(bins * cueCount)
  const shares = new Float64Array(stemNames.length)
  const scratch = { activity: new Float64Array(network.units), shares }
  for (let frame = 0, at = 0; frame < frames; frame++) {
    if (frame % framesPerPause === 0) await pause(options.signal)
    cues.readFrame(frame, row)
    for (let bin = 0; bin < bins; bin++, at++) {
      sharesOf(network, row, bin * cueCount, scratch)
      vocals.values[at] = shares[0] ?? 0
      drums.values[at] = shares[1] ?? 0
      bass.values[at] = shares[2] ?? 0
    }
  }
  options.onProgress(1)
  return [vocals, drums, bass]
}
