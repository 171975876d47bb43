import { monoOf } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { createPowerSpectrum } from '../dsp/fourier.ts'

const windowFrames = 2_048
/** Windows of a column, spread over it; each pixel shows the loudest. */
const windowsPerColumn = 4
/** The level that is black, in dB; full scale is white. */
const floorDb = -90
const lowestHertz = 20

const toMel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700)
const toHertz = (mel: number): number => 700 * (10 ** (mel / 2595) - 1)

/** Positions (in bins) of the boundaries of `rows` mel bands, from the lowest up. */
const bandEdges = (rows: number, sampleRate: number): Float64Array => {
  const [low, high] = [toMel(lowestHertz), toMel(sampleRate / 2)]
  return Float64Array.from(
    { length: rows + 1 },
    (_, row) => (toHertz(low + ((high - low) * row) / rows) * windowFrames) / sampleRate,
  )
}

/** The power of a band: its loudest bin, or an interpolated one if it is narrower than a bin. */
const powerOf = (spectrum: Float32Array, from: number, to: number): number => {
  const first = Math.ceil(from)
  const last = Math.min(spectrum.length - 1, Math.floor(to))
  if (first > last) {
    const [at, share] = [Math.floor(from), (from + to) / 2 - Math.floor(from)]
    return (spectrum[at] ?? 0) * (1 - share) + (spectrum[at + 1] ?? 0) * share
  }
  let loudest = 0
  for (let bin = first; bin <= last; bin++) loudest = Math.max(loudest, spectrum[bin] ?? 0)
  return loudest
}

export type Tile = { readonly start: number; readonly end: number; readonly width: number; readonly height: number }

/**
 * The pixels of a spectrogram of the frames `start` to `end`: rows from the top, 0 (black) to 255. One column after the other is
 * read, so memory does not grow with the stretch.
 */
export const spectrogramPixels = async (
  audio: StoredAudio,
  { start, end, width, height }: Tile,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const spectrum = createPowerSpectrum(windowFrames)
  const power = new Float32Array(spectrum.bins)
  const edges = bandEdges(height, audio.sampleRate)
  /** The power of a bin for a sine at full scale, under the Hann window. */
  const fullScale = (windowFrames / 4) ** 2
  const pixels = new Uint8Array(width * height)
  for (let column = 0; column < width; column++) {
    signal.throwIfAborted()
    const loudest = new Float64Array(height)
    for (let window = 0; window < windowsPerColumn; window++) {
      const centre = start + ((end - start) * (column + (window + 0.5) / windowsPerColumn)) / width
      const from = Math.round(centre) - windowFrames / 2
      const samples = monoOf(await audio.read(Math.max(0, from), windowFrames + Math.min(0, from)))
      spectrum.compute(samples, Math.min(0, from), power)
      for (let row = 0; row < height; row++)
        loudest[row] = Math.max(loudest[row] ?? 0, powerOf(power, edges[row] ?? 0, edges[row + 1] ?? 0))
    }
    for (let row = 0; row < height; row++) {
      const level = 10 * Math.log10((loudest[row] ?? 0) / fullScale + 1e-12)
      const shade = Math.round(255 * (1 - level / floorDb))
      pixels[(height - 1 - row) * width + column] = Math.max(0, Math.min(255, shade))
    }
  }
  return pixels
}
