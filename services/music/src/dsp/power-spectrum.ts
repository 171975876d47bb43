import { createRealFourier } from './real-fourier.ts'

/** A power spectrum of real frames of one size. */
export type PowerSpectrum = {
  readonly size: number
  /** Bins in the result: size / 2 + 1. */
  readonly bins: number
  /** |X[k]|² of the Hann-windowed frame that begins at `start`; samples outside the array count as zero. */
  compute(samples: Float32Array, start: number, out: Float32Array): void
}

export const createPowerSpectrum = (size: number): PowerSpectrum => {
  const { bins, forward } = createRealFourier(size)
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
  const frame = new Float64Array(size)
  const [re, im] = [new Float64Array(bins), new Float64Array(bins)]
  return {
    size,
    bins,
    compute(samples, start, out) {
      for (let i = 0; i < size; i++) {
        const at = start + i
        frame[i] = at >= 0 && at < samples.length ? (samples[at] ?? 0) * (window[i] ?? 0) : 0
      }
      forward(frame, re, im)
      for (let k = 0; k < bins; k++) {
        const x = re[k] ?? 0
        const y = im[k] ?? 0
        out[k] = x * x + y * y
      }
    },
  }
}
