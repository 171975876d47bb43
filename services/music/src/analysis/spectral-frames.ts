import { createPowerSpectrum } from '../dsp/power-spectrum.ts'

/** The sample rate of all analysis, which is in mono. */
export const analysisRate = 22_050
/** Samples between frames: 11.6 ms. */
export const HOP = 256
/** Frames per second. */
export const frameRate = analysisRate / HOP
/** Frames at the end of a piece whose window extends past it: where it is cut off, they would show a false attack. */
export const cutFrames = 3
/** Mel bands of a frame. */
export const BANDS = 32

/** Samples of a spectrum: 46 ms. */
export const spectrumSize = 1024
const lowestHertz = 40
const highestHertz = 10_000
/** Levels further than this below the loudest band of the piece are raised to that floor. */
export const dynamicRangeDb = 70
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
  const hertzPerBin = analysisRate / spectrumSize
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

/** What is computed from the power spectrum of each frame. */
export type FrameMeter = {
  /** Frames before the first that it needs. */
  readonly lead: number
  /** Called for each frame in order, from -`lead` on. */
  observe(frame: number, power: Float32Array): void
}

/** |X|² of a full-scale sine under the window of `eachSpectrum`, inverted. */
export const fullScale = 1 / (spectrumSize / 4) ** 2

/**
 * Computes the power spectra of a mono signal at ANALYSIS_RATE for several meters, under a Hann window of `spectrumSize` samples;
 * frame k is centred on sample `offset` + k × HOP.
 */
export const eachSpectrum = (
  signal: Float32Array,
  offset: number,
  frames: number,
  meters: readonly FrameMeter[],
): void => {
  const spectrum = createPowerSpectrum(spectrumSize)
  const power = new Float32Array(spectrum.bins)
  for (let frame = -Math.max(...meters.map(({ lead }) => lead)); frame < frames; frame++) {
    spectrum.compute(signal, offset + frame * HOP - spectrumSize / 2, power)
    for (const meter of meters) if (frame >= -meter.lead) meter.observe(frame, power)
  }
}

/** Levels (dB of full scale, none below FLOOR_DB) in mel bands, one row of BANDS values per frame. */
export const createLevelMeter = (frames: number): FrameMeter & { readonly levels: Float32Array } => {
  const bands = melBands()
  const levels = new Float32Array(frames * BANDS)
  return {
    lead: 0,
    levels,
    observe(frame, power) {
      for (let band = 0; band < BANDS; band++) {
        const found = bands[band]
        if (!found) continue
        let sum = 0
        for (let i = 0; i < found.weights.length; i++) sum += (found.weights[i] ?? 0) * (power[found.start + i] ?? 0)
        levels[frame * BANDS + band] = Math.max(floorDb, 10 * Math.log10(sum * fullScale + 1e-20))
      }
    },
  }
}

/** Levels of the frames of a mono signal, as from `createLevelMeter`. */
const bandLevels = (signal: Float32Array, frames: number): Float32Array => {
  const meter = createLevelMeter(frames)
  eachSpectrum(signal, 0, frames, [meter])
  return meter.levels
}

/** Levels of a whole piece, raised to its floor. */
export const toSpectralFrames = (levels: Float32Array): SpectralFrames => {
  const loudest = levels.reduce((max, level) => Math.max(max, level), floorDb)
  const floor = Math.max(floorDb, loudest - dynamicRangeDb)
  return { frames: levels.length / BANDS, levels: levels.map((level) => Math.max(floor, level)), floor }
}

/** Frames of a mono piece at ANALYSIS_RATE; frame k is centred on sample k × HOP. */
export const computeSpectralFrames = (signal: Float32Array): SpectralFrames =>
  toSpectralFrames(bandLevels(signal, Math.max(1, Math.ceil(signal.length / HOP))))
