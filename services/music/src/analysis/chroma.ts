import { createPowerSpectrum } from '../dsp/fourier.ts'
import { parabolicOffset } from '../dsp/statistics.ts'
import { ANALYSIS_RATE } from './spectral-frames.ts'

const WINDOW = 4096
/** Samples between chroma frames: 93 ms, three to the fastest beat. */
export const CHROMA_HOP = 2048
const LOWEST_HERTZ = 55
const HIGHEST_HERTZ = 2100
/** Peaks further than this below the loudest of their frame are not notes. */
const PEAK_RANGE_DB = 40

/** Twelve strengths (C, C sharp, ... B) per frame, row by row, each row of unit sum or all zero. */
export interface ChromaFrames {
  readonly frames: number
  readonly values: Float32Array
}

interface SpectralPeak {
  readonly frame: number
  /** Semitones above C-1, not rounded. */
  readonly pitch: number
  readonly strength: number
}

/** MIDI note numbers: A4 (440 Hz) is 69. */
const pitchOf = (hertz: number): number => 69 + 12 * Math.log2(hertz / 440)

const findPeaks = (power: Float32Array, frame: number): SpectralPeak[] => {
  const hertzPerBin = ANALYSIS_RATE / WINDOW
  const [first, last] = [Math.ceil(LOWEST_HERTZ / hertzPerBin), Math.floor(HIGHEST_HERTZ / hertzPerBin)]
  let loudest = 0
  for (let bin = first; bin <= last; bin++) loudest = Math.max(loudest, power[bin] ?? 0)
  const threshold = Math.max(loudest * 10 ** (-PEAK_RANGE_DB / 10), 1e-6)
  const peaks: SpectralPeak[] = []
  for (let bin = first; bin <= last; bin++) {
    const [before, here, after] = [power[bin - 1] ?? 0, power[bin] ?? 0, power[bin + 1] ?? 0]
    if (here < threshold || here < before || here <= after) continue
    const offset = parabolicOffset(Math.log(before + 1e-12), Math.log(here), Math.log(after + 1e-12))
    // The fourth root keeps one loud note from hiding the chord around it.
    peaks.push({ frame, pitch: pitchOf((bin + offset) * hertzPerBin), strength: here ** 0.25 })
  }
  return peaks
}

/** How far the piece is tuned from A = 440 Hz, in semitones (-0.5..0.5): the mean direction of all peaks. */
const tuningOf = (peaks: readonly SpectralPeak[]): number => {
  let [x, y] = [0, 0]
  for (const { pitch, strength } of peaks) {
    x += strength * Math.cos(2 * Math.PI * pitch)
    y += strength * Math.sin(2 * Math.PI * pitch)
  }
  return Math.atan2(y, x) / (2 * Math.PI)
}

/** Chroma of a mono piece at ANALYSIS_RATE, corrected for its tuning; frame k is centred on sample k × CHROMA_HOP. */
export const computeChroma = (signal: Float32Array): ChromaFrames => {
  const spectrum = createPowerSpectrum(WINDOW)
  const power = new Float32Array(spectrum.bins)
  const frames = Math.max(1, Math.ceil(signal.length / CHROMA_HOP))
  const peaks: SpectralPeak[] = []
  for (let frame = 0; frame < frames; frame++) {
    spectrum.compute(signal, frame * CHROMA_HOP - WINDOW / 2, power)
    for (const peak of findPeaks(power, frame)) peaks.push(peak)
  }
  const tuning = tuningOf(peaks)
  const values = new Float32Array(frames * 12)
  for (const { frame, pitch, strength } of peaks) {
    const nearest = Math.round(pitch - tuning)
    const distance = pitch - tuning - nearest
    const at = frame * 12 + (((nearest % 12) + 12) % 12)
    values[at] = (values[at] ?? 0) + strength * Math.cos(Math.PI * distance) ** 2
  }
  for (let frame = 0; frame < frames; frame++) {
    const row = values.subarray(frame * 12, frame * 12 + 12)
    const sum = row.reduce((total, value) => total + value, 0)
    if (sum > 0) for (let i = 0; i < 12; i++) row[i] = (row[i] ?? 0) / sum
  }
  return { frames, values }
}

/** The mean chroma between two samples; the frame nearest to the start where none is centred between them. */
export const chromaBetween = (chroma: ChromaFrames, start: number, end: number): Float32Array => {
  const first = Math.min(chroma.frames - 1, Math.max(0, Math.round(start / CHROMA_HOP)))
  const last = Math.min(chroma.frames, Math.max(first + 1, Math.round(end / CHROMA_HOP)))
  const mean = new Float32Array(12)
  for (let frame = first; frame < last; frame++) {
    for (let i = 0; i < 12; i++) mean[i] = (mean[i] ?? 0) + (chroma.values[frame * 12 + i] ?? 0) / (last - first)
  }
  return mean
}
