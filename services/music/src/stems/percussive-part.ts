import { type Block, sliceBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { createShortTimeFourier, frameSizeFor, framesToCover } from '../dsp/short-time-fourier.ts'
import { maskSettings } from './mask-settings.ts'
import { createMaskedSynthesis } from './masked-synthesis.ts'
import { percussiveMask } from './percussive-mask.ts'
import { analysedBins, readStretch } from './read-stretch.ts'
import { spectraOf } from './segment-spectra.ts'

/** A range of frames of a piece; `to` is excluded. */
export type FrameRange = { readonly from: number; readonly to: number }

/**
 * The percussive part of a range of a piece, by medians alone. No sample of it depends on where the range begins or ends. What it leaves of the mixture
 * is the rest, so both add up to the mixture.
 */
export const percussivePart = async (audio: StoredAudio, { from, to }: FrameRange): Promise<Block> => {
  const { sampleRate, channels, frames: samples } = audio
  const transform = createShortTimeFourier(frameSizeFor(sampleRate))
  const grid = { frameSeconds: transform.hop / sampleRate, binHertz: sampleRate / transform.size }
  const frames = framesToCover(samples, transform.hop)
  // Half of the median along time.
  const context = Math.ceil(maskSettings.sustainedSeconds / 2 / grid.frameSeconds) + 1
  // A sample lies in four frames, the first of which begins three hops before it.
  const covering = { from: Math.floor(from / transform.hop), to: Math.min(frames, Math.ceil(to / transform.hop) + 3) }
  const seen = { from: Math.max(0, covering.from - context), to: Math.min(frames, covering.to + context) }
  const stretch = await readStretch(audio, transform, seen)
  const { magnitudes } = spectraOf(stretch, transform, { ...seen, bins: analysedBins(transform, sampleRate) })
  const { hits } = percussiveMask(magnitudes, grid)
  const mask = {
    bins: hits.bins,
    frames: covering.to - covering.from,
    values: hits.values.subarray((covering.from - seen.from) * hits.bins, (covering.to - seen.from) * hits.bins),
  }
  const synthesis = createMaskedSynthesis(transform, { channels, samples, stems: 1 })
  const [part = []] = synthesis.add(stretch, [mask], covering)
  const start = synthesis.startOf(covering.from)
  return sliceBlock(part, from - start, to - start)
}
