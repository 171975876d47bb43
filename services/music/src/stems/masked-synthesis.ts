import { type Block, silentBlock } from '../audio/pcm.ts'
import { frameStart, type ShortTimeFourier } from '../dsp/short-time-fourier.ts'
import { frameOf, type Spectrogram } from '../dsp/spectrogram.ts'
import type { Stretch } from './segment-spectra.ts'

/** Multiplies a spectrum by a mask. Bins above those of the mask get the mean of its upper half. */
const applyMask = (
  from: { re: Float64Array; im: Float64Array },
  mask: Float32Array,
  to: { re: Float64Array; im: Float64Array },
): void => {
  let sum = 0
  const upper = mask.length >> 1
  for (let bin = upper; bin < mask.length; bin++) sum += mask[bin] ?? 0
  const above = sum / Math.max(1, mask.length - upper)
  for (let bin = 0; bin < from.re.length; bin++) {
    const weight = bin < mask.length ? (mask[bin] ?? 0) : above
    to.re[bin] = weight * (from.re[bin] ?? 0)
    to.im[bin] = weight * (from.im[bin] ?? 0)
  }
}

/** Synthesises the masked mixture, frame after frame; all frames must be added in order. */
export const createMaskedSynthesis = (
  transform: ShortTimeFourier,
  { channels, samples, stems }: { channels: number; samples: number; stems: number },
) => {
  const { size, hop, bins } = transform
  const spectrum = () => ({ re: new Float64Array(bins), im: new Float64Array(bins) })
  const [mixture, masked] = [spectrum(), spectrum()]
  // The end of the last frames, which later frames are added to.
  const tails = Array.from({ length: stems }, () => silentBlock(channels, size - hop))

  const synthesise = (
    { start, block }: Stretch,
    masks: readonly Spectrogram[],
    { from, to }: { from: number; to: number },
  ): Block[] => {
    const first = frameStart(from, hop)
    const buffers = masks.map(() => silentBlock(channels, (to - from) * hop + size - hop))
    for (const [stem, buffer] of buffers.entries())
      for (const [index, channel] of buffer.entries()) channel.set(tails[stem]?.[index] ?? [])
    for (const [index, channel] of block.entries())
      for (let frame = from; frame < to; frame++) {
        const at = frameStart(frame, hop)
        transform.analyse(channel, at - start, mixture.re, mixture.im)
        for (const [stem, mask] of masks.entries()) {
          applyMask(mixture, frameOf(mask, frame - from), masked)
          const target = buffers[stem]?.[index]
          if (target) transform.synthesise(masked.re, masked.im, target, at - first)
        }
      }
    const finished = (to - from) * hop
    for (const [stem, buffer] of buffers.entries()) tails[stem] = buffer.map((channel) => channel.slice(finished))
    return buffers
  }

  /** The first sample of the piece that a frame begins at. */
  const startOf = (frame: number): number => Math.max(0, frameStart(frame, hop))

  return {
    startOf,
    /** The samples from `startOf(from)` to `startOf(to)` of each masked mixture. `masks` begin at the frame `from`. */
    add(stretch: Stretch, masks: readonly Spectrogram[], range: { from: number; to: number }): Block[] {
      const first = frameStart(range.from, hop)
      const end = Math.min(samples, frameStart(range.to, hop))
      return synthesise(stretch, masks, range).map((buffer) =>
        buffer.map((channel) => channel.subarray(startOf(range.from) - first, end - first)),
      )
    },
  }
}
