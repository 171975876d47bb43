import { monoOf } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { createPowerSpectrum } from '../dsp/power-spectrum.ts'

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

/** Frames that one read takes at most, and the distance of windows (frames) up to which neighbouring ones are read together. */
const framesPerRead = 2 ** 18
const nearFrames = 4 * windowFrames
/** Columns whose windows, if they are far apart, are read at the same time. */
const columnsAtOnce = 4

/** Samples that contain a window, and where it begins in them; it may begin before the first. */
type Window = { readonly samples: Float32Array; readonly offset: number }

const readSpan = async (audio: StoredAudio, from: number, until: number): Promise<Window> => {
  const first = Math.max(0, from)
  return { samples: monoOf(await audio.read(first, until - first)), offset: from - first }
}

/**
 * Reads windows that begin at ascending frames. A read of a remote store takes milliseconds, so windows that are close are read at once, and
 * others concurrently.
 */
const readWindows = async (audio: StoredAudio, begins: readonly number[], areNear: boolean): Promise<Window[]> => {
  if (!areNear) return Promise.all(begins.map((from) => readSpan(audio, from, from + windowFrames)))
  const [from = 0, last = from] = [begins[0], begins.at(-1)]
  const { samples, offset } = await readSpan(audio, from, last + windowFrames)
  return begins.map((begin) => ({ samples, offset: offset + begin - from }))
}

/**
 * The pixels of a spectrogram of the frames `start` to `end`: rows from the top, 0 (black) to 255. A few columns after the other are
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
  const framesPerColumn = (end - start) / width
  const areNear = framesPerColumn / windowsPerColumn <= nearFrames
  const step = areNear ? Math.max(1, Math.floor(framesPerRead / framesPerColumn)) : columnsAtOnce
  const beginOf = (index: number): number =>
    Math.round(start + ((end - start) * (index + 0.5)) / (width * windowsPerColumn)) - windowFrames / 2
  for (let first = 0; first < width; first += step) {
    signal.throwIfAborted()
    const columns = Math.min(step, width - first)
    const begins = Array.from({ length: columns * windowsPerColumn }, (_, i) => beginOf(first * windowsPerColumn + i))
    const windows = await readWindows(audio, begins, areNear)
    const loudest = new Float64Array(columns * height)
    for (const [index, { samples, offset }] of windows.entries()) {
      const at = Math.floor(index / windowsPerColumn) * height
      spectrum.compute(samples, offset, power)
      for (let row = 0; row < height; row++)
        loudest[at + row] = Math.max(loudest[at + row] ?? 0, powerOf(power, edges[row] ?? 0, edges[row + 1] ?? 0))
    }
    for (let column = 0; column < columns; column++)
      for (let row = 0; row < height; row++) {
        const level = 10 * Math.log10((loudest[column * height + row] ?? 0) / fullScale + 1e-12)
        const shade = Math.round(255 * (1 - level / floorDb))
        pixels[(height - 1 - row) * width + first + column] = Math.max(0, Math.min(255, shade))
      }
  }
  return pixels
}
