import { createFourier } from './fourier.ts'

/** A Fourier transform of real frames of one size, and its inverse. Spectra have size / 2 + 1 bins. */
export type RealFourier = {
  readonly size: number
  readonly bins: number
  /** The spectrum of a frame, unscaled. */
  forward(frame: Float64Array, re: Float64Array, im: Float64Array): void
  /** The frame of a spectrum; the inverse of `forward`. Imaginary parts of the first and last bin are ignored. */
  inverse(re: Float64Array, im: Float64Array, frame: Float64Array): void
}

// As in fourier.ts, the loops avoid destructuring for speed.

/** By one complex transform of half the size: even samples are the real parts, odd ones the imaginary parts. */
export const createRealFourier = (size: number): RealFourier => {
  const half = size / 2
  const transform = createFourier(half)
  const re = new Float64Array(half)
  const im = new Float64Array(half)
  const cosines = Float64Array.from({ length: half }, (_, k) => Math.cos((2 * Math.PI * k) / size))
  const sines = Float64Array.from({ length: half }, (_, k) => Math.sin((2 * Math.PI * k) / size))
  return {
    size,
    bins: half + 1,
    forward(frame, outRe, outIm) {
      for (let i = 0; i < half; i++) {
        re[i] = frame[2 * i] ?? 0
        im[i] = frame[2 * i + 1] ?? 0
      }
      transform(re, im)
      const r0 = re[0] ?? 0
      const i0 = im[0] ?? 0
      outRe[0] = r0 + i0
      outIm[0] = 0
      outRe[half] = r0 - i0
      outIm[half] = 0
      for (let k = 1; k < half; k++) {
        const ar = re[k] ?? 0
        const ai = im[k] ?? 0
        const br = re[half - k] ?? 0
        const bi = im[half - k] ?? 0
        const oddRe = (ai + bi) / 2
        const oddIm = (br - ar) / 2
        const c = cosines[k] ?? 0
        const s = sines[k] ?? 0
        outRe[k] = (ar + br) / 2 + c * oddRe + s * oddIm
        outIm[k] = (ai - bi) / 2 + c * oddIm - s * oddRe
      }
    },
    inverse(inRe, inIm, frame) {
      // The conjugate of the packed spectrum goes through the forward transform.
      const first = inRe[0] ?? 0
      const last = inRe[half] ?? 0
      re[0] = (first + last) / 2
      im[0] = -(first - last) / 2
      for (let k = 1; k < half; k++) {
        const ar = inRe[k] ?? 0
        const ai = inIm[k] ?? 0
        const br = inRe[half - k] ?? 0
        const bi = inIm[half - k] ?? 0
        const evenRe = (ar + br) / 2
        const evenIm = (ai - bi) / 2
        const diffRe = (ar - br) / 2
        const diffIm = (ai + bi) / 2
        const c = cosines[k] ?? 0
        const s = sines[k] ?? 0
        const oddRe = diffRe * c - diffIm * s
        const oddIm = diffRe * s + diffIm * c
        re[k] = evenRe - oddIm
        im[k] = -(evenIm + oddRe)
      }
      transform(re, im)
      for (let i = 0; i < half; i++) {
        frame[2 * i] = (re[i] ?? 0) / half
        frame[2 * i + 1] = -(im[i] ?? 0) / half
      }
    },
  }
}
