import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { createMedianFilter, oddTaps } from '../dsp/median-filter.ts'
import { createShortTimeFourier, frameSizeFor, framesToCover } from '../dsp/short-time-fourier.ts'
import { frameOf, type Spectrogram } from '../dsp/spectrogram.ts'
import { meanOf } from '../dsp/statistics.ts'
import { percussivePart } from '../stems/percussive-part.ts'
import { spectraOf } from '../stems/segment-spectra.ts'
import type { StepGrid } from './steps.ts'

/** The percussive part of a bar, as far as separation finds it. */
export type BarDrums = {
  /** Its power as a share of that of the bar (0..1). */
  readonly share: number
  readonly power: number
  /** The share of it (0..1) that lies in narrow peaks of its spectra: attacks of notes, which medians take for hits. */
  readonly leak: number
  /** Levels (dB) of its bands in each part of each beat, relative to the loudest. */
  readonly pattern: readonly number[]
}

/** Parts of a beat, and ranges of frequency (Hz), whose levels are compared: those of kick, snare and cymbals. */
const partsPerBeat = 4
const bandHertz = [0, 150, 2_000, analysisRate / 2] as const
/** Levels are compared down to this much (dB) below the loudest. */
const rangeDb = 30
/** Range (Hz) in which notes are distinguished from noise, width of the median that peaks are compared with, and how far they exceed it. */
const pitchedHertz = [250, 5_000] as const
const medianHertz = 350
const peakRatio = 2.5

const powerOf = (samples: Float32Array): number =>
  samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length)

const transform = createShortTimeFourier(frameSizeFor(analysisRate))
const binOf = (hertz: number): number => Math.min(transform.bins, Math.round((hertz * transform.size) / analysisRate))

const magnitudesOf = (part: Float32Array): Spectrogram => {
  const range = { from: 0, to: framesToCover(part.length, transform.hop), bins: transform.bins }
  return spectraOf({ start: 0, block: [part] }, transform, range).magnitudes
}

const leakOf = (magnitudes: Spectrogram): number => {
  const [from, to] = [binOf(pitchedHertz[0]), binOf(pitchedHertz[1])]
  const smooth = createMedianFilter(oddTaps(binOf(medianHertz)))
  const usual = new Float32Array(to)
  let [peaks, all] = [0, 0]
  for (let frame = 0; frame < magnitudes.frames; frame++) {
    const values = frameOf(magnitudes, frame)
    smooth(values, usual, to)
    for (let bin = from; bin < to; bin++) {
      const power = (values[bin] ?? 0) ** 2
      all += power
      if ((values[bin] ?? 0) > peakRatio * (usual[bin] ?? 0)) peaks += power
    }
  }
  return all > 0 ? peaks / all : 1
}

/** Levels (dB) of the bands in the stretches between boundaries (samples), relative to the loudest. */
const patternOf = (magnitudes: Spectrogram, boundaries: readonly number[]): number[] => {
  const bands = bandHertz.slice(1).map((to, band) => [binOf(bandHertz[band] ?? 0), binOf(to)] as const)
  const powers = boundaries.slice(1).flatMap((end, part) => {
    // The first three frames begin before the samples.
    const frameAt = (sample: number) => Math.round((sample - transform.size / 2) / transform.hop) + 3
    const first = frameAt(boundaries[part] ?? 0)
    const last = Math.max(first + 1, frameAt(end))
    return bands.map(([from, to]) => {
      let sum = 0
      for (let frame = first; frame < last; frame++)
        for (let bin = from; bin < to; bin++) sum += (magnitudes.values[frame * magnitudes.bins + bin] ?? 0) ** 2
      return sum / (last - first)
    })
  })
  const loudest = Math.max(1e-12, ...powers)
  return powers.map((power) => Math.max(-rangeDb, 10 * Math.log10(power / loudest + 1e-12)))
}

/** Mean difference of two patterns (dB). */
export const patternDifference = (a: BarDrums, b: BarDrums): number =>
  meanOf(a.pattern.map((level, i) => Math.abs(level - (b.pattern[i] ?? 0))))

/** Describes the drums of bars of a piece by their first steps. Each is separated once. */
export const createBarDrums = (mono: MonoPiece, { steps, stepsPerBar }: StepGrid) => {
  const audio = {
    sampleRate: analysisRate,
    channels: 1,
    frames: mono.samples,
    read: async (start: number, frames: number) => [await mono.read(start, start + frames)],
  }
  const known = new Map<number, Promise<BarDrums>>()
  const describe = async (first: number): Promise<BarDrums> => {
    const bar = steps.slice(first, first + stepsPerBar)
    const from = Math.round(bar[0]?.start ?? 0)
    const to = Math.min(mono.samples, Math.round(bar.at(-1)?.end ?? 0))
    const [part = new Float32Array()] = await percussivePart(audio, { from, to })
    const power = powerOf(part)
    const boundaries = bar.flatMap(({ start, end }) =>
      Array.from({ length: partsPerBeat }, (_, i) => start + (i / partsPerBeat) * (end - start) - from),
    )
    const magnitudes = magnitudesOf(part)
    return {
      share: power / Math.max(1e-12, powerOf(await mono.read(from, to))),
      ...{ power, leak: leakOf(magnitudes), pattern: patternOf(magnitudes, [...boundaries, to - from]) },
    }
  }
  return (first: number): Promise<BarDrums> => {
    const found = known.get(first) ?? describe(first)
    known.set(first, found)
    return found
  }
}
