import { createPowerSpectrum } from '../dsp/power-spectrum.ts'

/** The sample rate of all analysis, which is in mono. */
export const analysisRate = 22_050
/** Samples between frames: 11.6 ms. */
export const HOP = 256
/** Frames per second. */
export const frameRate = analysisRate / HOP
/** Mel bands of a frame. */
export const BANDS = 32

const window = 1024
const lowestHertz = 40
const highestHertz = 10_000
/** Levels further than this below the loudest band of the piece are raised to that floor. */
const dynamicRangeDb = 70
/** Below this (relative to full scale) everything is silence. */
const floorDb = -100

/** A piece as frames: levels in mel bands, one row of BANDS values (dB of full scale) per frame. */
export type SpectralFrames = {
  readonly frames: number
  readonly levels: Float32Array
  /** The lowest level in `levels`. */
  readonly floor: number
}

const toMel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700)
const toHertz = (mel: number): number => 700 * (10 ** (mel / 2595) - 1)

/** Bins and weights of each band: triangles on the mel scale, none narrower than one bin. */
const melBands = (): { start: number; weights: Float32Array }[] => {
  const hertzPerBin = analysisRate / window
  const edges = Array.from({ length: BANDS + 2 }, (_, i) => {
    const share = i / (BANDS + 1)
    return toHertz(toMel(lowestHertz) * (1 - share) + toMel(highestHertz) * share) / hertzPerBin
  })
  return Array.from({ length: BANDS }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(band, band + 3)
    const [reachLow, reachHigh] = [Math.min(low, middle - 1), Math.max(high, middle + 1)]
    const start = Math.max(0, Math.ceil(reachLow))
    const weights = Float32Array.from({ length: Math.floor(reachHigh) - start + 1 }, (_, i) => {
      const bin = start + i
      return Math.max(
        0,
        bin <= middle ? (bin - reachLow) / (middle - reachLow) : (reachHigh - bin) / (reachHigh - middle),
      )
    })
    return { start, weights }
  })
}

/**
 * Levels (dB of full scale, none below FLOOR_DB) in mel bands of a mono signal at ANALYSIS_RATE, one row of BANDS values
 * per frame; frame k is centred on sample `offset` + k × HOP.
 */
export const bandLevels = (signal: Float32Array, offset: number, frames: number): Float32Array => {
  const spectrum = createPowerSpectrum(window)
  const bands = melBands()
  const levels = new Float32Array(frames * BANDS)
  const power = new Float32Array(spectrum.bins)
  // A full-scale sine has |X|² = (WINDOW / 4)² under a Hann window.
  const scale = 1 / (window / 4) ** 2
  for (let frame = 0; frame < frames; frame++) {
    spectrum.compute(signal, offset + frame * HOP - window / 2, power)
    for (let band = 0; band < BANDS; band++) {
      const found = bands[band]
      if (!found) continue
      let sum = 0
      for (let i = 0; i < found.weights.length; i++) sum += (found.weights[i] ?? 0) * (power[found.start + i] ?? 0)
      levels[frame * BANDS + band] = Math.max(floorDb, 10 * Math.log10(sum * scale + 1e-20))
    }
  }
  return levels
}

/** Levels of a whole piece, raised to its floor. */
export const toSpectralFrames = (levels: Float32Array): SpectralFrames => {
  const loudest = levels.reduce((max, level) => Math.max(max, level), floorDb)
  const floor = Math.max(floorDb, loudest - dynamicRangeDb)
  return { frames: levels.length / BANDS, levels: levels.map((level) => Math.max(floor, level)), floor }
}

/** Frames of a mono piece at ANALYSIS_RATE; frame k is centred on sample k × HOP. */
export const computeSpectralFrames = (signal: Float32Array): SpectralFrames =>
  toSpectralFrames(bandLevels(signal, 0, Math.max(1, Math.ceil(signal.length / HOP))))
