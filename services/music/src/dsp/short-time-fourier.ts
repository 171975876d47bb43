import { createRealFourier } from './real-fourier.ts'

/** Short-time Fourier transform with a Hann window and a hop of a quarter of it. */
export type ShortTimeFourier = {
  readonly size: number
  readonly hop: number
  readonly bins: number
  /** The spectrum of the windowed frame that begins at `start`; samples outside the array count as zero. */
  analyse(samples: Float32Array, start: number, re: Float64Array, im: Float64Array): void
  /** Adds the windowed frame of a spectrum at `start`. All frames added together restore what was analysed. */
  synthesise(re: Float64Array, im: Float64Array, samples: Float32Array, start: number): void
}

/** Frames that cover `samples` samples, so that every sample lies in four of them. */
export const framesToCover = (samples: number, hop: number): number => Math.floor((samples - 1) / hop) + 4

/** The sample at which a frame begins; the first three begin before the samples. */
export const frameStart = (frame: number, hop: number): number => (frame - 3) * hop

export const createShortTimeFourier = (size: number): ShortTimeFourier => {
  const hop = size / 4
  const { bins, forward, inverse } = createRealFourier(size)
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
  const frame = new Float64Array(size)
  // The squares of four overlapping Hann windows sum to 3/2.
  const restored = 1 / 1.5
  return {
    size,
    hop,
    bins,
    analyse(samples, start, re, im) {
      for (let i = 0; i < size; i++) {
        const at = start + i
        frame[i] = at >= 0 && at < samples.length ? (samples[at] ?? 0) * (window[i] ?? 0) : 0
      }
      forward(frame, re, im)
    },
    synthesise(re, im, samples, start) {
      inverse(re, im, frame)
      const from = Math.max(0, -start)
      const to = Math.min(size, samples.length - start)
      for (let i = from; i < to; i++) {
        samples[start + i] = (samples[start + i] ?? 0) + restored * (window[i] ?? 0) * (frame[i] ?? 0)
      }
    },
  }
}

/** The size (a power of two) nearest to 93 ms: 4096 at 44.1 kHz. */
export const frameSizeFor = (sampleRate: number): number => 2 ** Math.round(Math.log2(sampleRate * 0.0929))
