import { createFourier } from '../../dsp/fourier.ts'
import { frameSize, type WindowInfo, windows } from './channel-stream.ts'

/** Power series of the modified Bessel function of order 0. */
const besselI0 = (x: number): number => {
  let [sum, term] = [1, 1]
  for (let k = 1; term > sum * 1e-16; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

/** The rising half of a window of 2 × `size` (ISO/IEC 14496-3, 4.6.11.3.2). */
const sineSlope = (size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, i) => Math.sin((Math.PI / (2 * size)) * (i + 0.5)))

const kaiserBesselSlope = (size: number, alpha: number): Float64Array => {
  const weights = Float64Array.from({ length: size + 1 }, (_, i) =>
    besselI0(Math.PI * alpha * Math.sqrt(1 - (i / (size / 2) - 1) ** 2)),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  return Float64Array.from({ length: size }, (_, i) => {
    sum += weights[i] ?? 0
    return Math.sqrt(sum / total)
  })
}

const shortSize = 128
/** Flat part on each side of a short slope in a long window. */
const flat = (frameSize - shortSize) / 2
/** Slopes by window shape. */
const longSlopes = [sineSlope(frameSize), kaiserBesselSlope(frameSize, 4)] as const
const shortSlopes = [sineSlope(shortSize), kaiserBesselSlope(shortSize, 6)] as const

/**
 * The inverse modified cosine transform of `size` coefficients into 2 × `size` samples: a cosine transform of the fourth kind
 * by a complex transform of half the size, unfolded by its symmetries.
 */
const createInverseTransform = (size: number) => {
  const half = size / 2
  const fourier = createFourier(half)
  const [re, im] = [new Float64Array(half), new Float64Array(half)]
  const cosines = Float64Array.from({ length: half }, (_, i) => Math.cos((Math.PI * (8 * i + 1)) / (8 * size)))
  const sines = Float64Array.from({ length: half }, (_, i) => Math.sin((Math.PI * (8 * i + 1)) / (8 * size)))
  const folded = new Float64Array(size)
  return (spectrum: Float64Array, from: number, out: Float64Array): void => {
    for (let i = 0; i < half; i++) {
      const a = spectrum[from + 2 * i] ?? 0
      const b = spectrum[from + size - 1 - 2 * i] ?? 0
      const c = cosines[i] ?? 0
      const s = sines[i] ?? 0
      re[i] = a * c + b * s
      im[i] = b * c - a * s
    }
    fourier(re, im)
    const scale = 1 / size
    for (let i = 0; i < half; i++) {
      const a = re[i] ?? 0
      const b = im[i] ?? 0
      const c = cosines[i] ?? 0
      const s = sines[i] ?? 0
      folded[2 * i] = (a * c + b * s) * scale
      folded[size - 1 - 2 * i] = (a * s - b * c) * scale
    }
    for (let i = 0; i < half; i++) {
      out[i] = folded[i + half] ?? 0
      out[size - 1 - i] = -(folded[i + half] ?? 0)
      out[size + i] = -(folded[half - 1 - i] ?? 0)
      out[2 * size - 1 - i] = -(folded[half - 1 - i] ?? 0)
    }
  }
}

/** Transforms the frames of one channel to samples. Each call returns 1,024 samples, which the next call completes by overlap. */
export const createFilterBank = () => {
  const longTransform = createInverseTransform(frameSize)
  const shortTransform = createInverseTransform(shortSize)
  const frame = new Float64Array(2 * frameSize)
  const window = new Float64Array(2 * shortSize)
  const overlap = new Float64Array(frameSize)
  let lastShape: 0 | 1 = 0

  const shortWindows = (spectrum: Float64Array, shape: 0 | 1): void => {
    frame.fill(0)
    for (let index = 0; index < 8; index++) {
      shortTransform(spectrum, index * shortSize, window)
      const rising = shortSlopes[index === 0 ? lastShape : shape]
      const falling = shortSlopes[shape]
      const at = flat + index * shortSize
      for (let i = 0; i < shortSize; i++) {
        frame[at + i] = (frame[at + i] ?? 0) + (window[i] ?? 0) * (rising[i] ?? 0)
        frame[at + shortSize + i] = (window[shortSize + i] ?? 0) * (falling[shortSize - 1 - i] ?? 0)
      }
    }
  }

  const longWindow = (spectrum: Float64Array, sequence: number, shape: 0 | 1): void => {
    longTransform(spectrum, 0, frame)
    const rising = longSlopes[lastShape]
    if (sequence === windows.stop) {
      const slope = shortSlopes[lastShape]
      for (let i = 0; i < flat; i++) frame[i] = 0
      for (let i = 0; i < shortSize; i++) frame[flat + i] = (frame[flat + i] ?? 0) * (slope[i] ?? 0)
    } else for (let i = 0; i < frameSize; i++) frame[i] = (frame[i] ?? 0) * (rising[i] ?? 0)
    const falling = longSlopes[shape]
    if (sequence === windows.start) {
      const slope = shortSlopes[shape]
      const at = frameSize + flat
      for (let i = 0; i < shortSize; i++) frame[at + i] = (frame[at + i] ?? 0) * (slope[shortSize - 1 - i] ?? 0)
      for (let i = at + shortSize; i < 2 * frameSize; i++) frame[i] = 0
    } else {
      for (let i = 0; i < frameSize; i++)
        frame[frameSize + i] = (frame[frameSize + i] ?? 0) * (falling[frameSize - 1 - i] ?? 0)
    }
  }

  return (spectrum: Float64Array, { sequence, shape: shapeBit }: WindowInfo): Float32Array => {
    const shape = shapeBit === 1 ? 1 : 0
    if (sequence === windows.short) shortWindows(spectrum, shape)
    else longWindow(spectrum, sequence, shape)
    lastShape = shape
    const samples = new Float32Array(frameSize)
    for (let i = 0; i < frameSize; i++) {
      samples[i] = (overlap[i] ?? 0) + (frame[i] ?? 0)
      overlap[i] = frame[frameSize + i] ?? 0
    }
    return samples
  }
}
