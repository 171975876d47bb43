import type { Block } from '../audio/pcm.ts'
import { frameStart, type ShortTimeFourier } from '../dsp/short-time-fourier.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'

/** What the masks of a segment are computed from. */
export type SegmentSpectra = {
  /** Root mean square of the channels' magnitudes. */
  readonly magnitudes: Spectrogram
  /** How alike the channels are: 1 for the same signal in both (or for mono), 0 for unrelated or opposite signals. */
  readonly centre: Spectrogram
}

const unheard = 1e-20

/** Samples of a stretch of a piece; `start` is the position of the first of them, possibly before the piece. */
export type Stretch = { readonly start: number; readonly block: Block }

/** Magnitudes and panning of the frames `from` to `to`, up to `bins` bins. */
export const spectraOf = (
  { start, block }: Stretch,
  transform: ShortTimeFourier,
  { from, to, bins }: { from: number; to: number; bins: number },
): SegmentSpectra => {
  const [magnitudes, centre] = [emptySpectrogram(to - from, bins), emptySpectrogram(to - from, bins)]
  const spectra = block.map(() => ({ re: new Float64Array(transform.bins), im: new Float64Array(transform.bins) }))
  const [left, right] = spectra
  for (let frame = from, at = 0; frame < to; frame++) {
    for (const [index, channel] of block.entries()) {
      const spectrum = spectra[index]
      if (spectrum) transform.analyse(channel, frameStart(frame, transform.hop) - start, spectrum.re, spectrum.im)
    }
    for (let bin = 0; bin < bins; bin++, at++) {
      const lr = left?.re[bin] ?? 0
      const li = left?.im[bin] ?? 0
      const rr = right ? (right.re[bin] ?? 0) : lr
      const ri = right ? (right.im[bin] ?? 0) : li
      const power = lr * lr + li * li + rr * rr + ri * ri
      magnitudes.values[at] = Math.sqrt(power / 2)
      centre.values[at] = power < unheard ? 1 : Math.max(0, (2 * (lr * rr + li * ri)) / power)
    }
  }
  return { magnitudes, centre }
}
