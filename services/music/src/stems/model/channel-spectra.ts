import { createRealFourier } from '../../dsp/real-fourier.ts'

/** Spectrograms of a model: real and imaginary parts of all bins but the highest, row by row: part, bin, frame. */
export type ChannelSpectra = {
  readonly bins: number
  framesOf(samples: number): number
  /** Writes the spectrogram of a channel at `offset`: first its real parts, then its imaginary parts. */
  write(samples: Float32Array, out: Float32Array, offset: number): void
  /** Adds the signal of such a spectrogram to the samples. */
  add(spectrogram: Float32Array, offset: number, samples: Float32Array): void
}

const silentFrames = 2

const mirrored = (index: number, length: number): number => {
  let at = index
  while (at < 0 || at >= length) at = at < 0 ? -at : 2 * (length - 1) - at
  return at
}

/**
 * The spectrograms of Demucs (`_spec` and `_ispec` of HTDemucs): a Hann window, scaled by the root of its size, mirrored ends,
 * and frames that are centred half a hop after multiples of the hop, one per hop.
 */
export const createChannelSpectra = ({ size, hop }: { size: number; hop: number }): ChannelSpectra => {
  const { bins: all, forward, inverse } = createRealFourier(size)
  const bins = all - 1
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
  const scale = 1 / Math.sqrt(size)
  const frame = new Float64Array(size)
  const re = new Float64Array(all)
  const im = new Float64Array(all)
  const framesOf = (samples: number) => Math.ceil(samples / hop)
  const startOf = (index: number) => index * hop + hop / 2 - size / 2
  return {
    bins,
    framesOf,
    write(samples, out, offset) {
      const frames = framesOf(samples.length)
      for (let index = 0; index < frames; index++) {
        const start = startOf(index)
        for (let i = 0; i < size; i++)
          frame[i] = scale * (window[i] ?? 0) * (samples[mirrored(start + i, samples.length)] ?? 0)
        forward(frame, re, im)
        for (let bin = 0; bin < bins; bin++) {
          out[offset + bin * frames + index] = re[bin] ?? 0
          out[offset + (bins + bin) * frames + index] = im[bin] ?? 0
        }
      }
    },
    add(spectrogram, offset, samples) {
      const frames = framesOf(samples.length)
      const sums = new Float64Array(samples.length)
      const weights = new Float64Array(samples.length)
      // Demucs adds silent frames at both ends, which count in the sum of the windows.
      for (let index = -silentFrames; index < frames + silentFrames; index++) {
        const isSilent = index < 0 || index >= frames
        if (isSilent) frame.fill(0)
        else {
          for (let bin = 0; bin < bins; bin++) {
            re[bin] = spectrogram[offset + bin * frames + index] ?? 0
            im[bin] = spectrogram[offset + (bins + bin) * frames + index] ?? 0
          }
          re[bins] = 0
          im[bins] = 0
          inverse(re, im, frame)
        }
        const start = startOf(index)
        for (let i = Math.max(0, -start); i < size && start + i < samples.length; i++) {
          const weight = window[i] ?? 0
          sums[start + i] = (sums[start + i] ?? 0) + (weight * (frame[i] ?? 0)) / scale
          weights[start + i] = (weights[start + i] ?? 0) + weight * weight
        }
      }
      for (let i = 0; i < samples.length; i++)
        samples[i] = (samples[i] ?? 0) + (sums[i] ?? 0) / Math.max(1e-8, weights[i] ?? 0)
    },
  }
}
