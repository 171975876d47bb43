import { createPowerSpectrum } from '../dsp/power-spectrum.ts'
import { parabolicOffset } from '../dsp/statistics.ts'
import { analysisRate } from './spectral-frames.ts'

const window = 4096
/** Samples between chroma frames: 93 ms, three per beat at the fastest tempo. */
export const chromaHop = 2048
const lowestHertz = 55
const highestHertz = 2100
/** Peaks further than this below the loudest of their frame are not notes. */
const peakRangeDb = 40

/** Twelve strengths (C, C sharp, ... B) per frame, row by row, each row of unit sum or all zero. */
export type ChromaFrames = {
  readonly frames: number
  readonly values: Float32Array
}

/** Spectral peaks of consecutive frames. */
export type Peaks = {
  /** Number of peaks per frame. */
  readonly counts: Uint16Array
  /** Semitones above C-1, not rounded. */
  readonly pitches: Float32Array
  readonly strengths: Float32Array
}

/** MIDI note numbers: A4 (440 Hz) is 69. */
const pitchOf = (hertz: number): number => 69 + 12 * Math.log2(hertz / 440)

const peaksOfFrame = (power: Float32Array): { pitch: number; strength: number }[] => {
  const hertzPerBin = analysisRate / window
  const [first, last] = [Math.ceil(lowestHertz / hertzPerBin), Math.floor(highestHertz / hertzPerBin)]
  let loudest = 0
  for (let bin = first; bin <= last; bin++) loudest = Math.max(loudest, power[bin] ?? 0)
  const threshold = Math.max(loudest * 10 ** (-peakRangeDb / 10), 1e-6)
  const peaks: { pitch: number; strength: number }[] = []
  for (let bin = first; bin <= last; bin++) {
    const [before, here, after] = [power[bin - 1] ?? 0, power[bin] ?? 0, power[bin + 1] ?? 0]
    if (here < threshold || here < before || here <= after) continue
    const offset = parabolicOffset(Math.log(before + 1e-12), Math.log(here), Math.log(after + 1e-12))
    // The fourth root prevents one loud note from hiding the chord around it.
    peaks.push({ pitch: pitchOf((bin + offset) * hertzPerBin), strength: here ** 0.25 })
  }
  return peaks
}

/** Spectral peaks of a mono signal at ANALYSIS_RATE; frame k is centred on sample `offset` + k × CHROMA_HOP. */
export const findPeaks = (signal: Float32Array, offset: number, frames: number): Peaks => {
  const spectrum = createPowerSpectrum(window)
  const power = new Float32Array(spectrum.bins)
  const counts = new Uint16Array(frames)
  const [pitches, strengths]: [number[], number[]] = [[], []]
  for (let frame = 0; frame < frames; frame++) {
    spectrum.compute(signal, offset + frame * chromaHop - window / 2, power)
    const peaks = peaksOfFrame(power)
    counts[frame] = peaks.length
    for (const { pitch, strength } of peaks) {
      pitches.push(pitch)
      strengths.push(strength)
    }
  }
  return { counts, pitches: Float32Array.from(pitches), strengths: Float32Array.from(strengths) }
}

/** Joins the peaks of consecutive stretches of frames. */
export const joinPeaks = (stretches: readonly Peaks[]): Peaks => {
  const counts = new Uint16Array(stretches.reduce((sum, stretch) => sum + stretch.counts.length, 0))
  const peaks = stretches.reduce((sum, { pitches }) => sum + pitches.length, 0)
  const joined = { counts, pitches: new Float32Array(peaks), strengths: new Float32Array(peaks) }
  let [frame, at] = [0, 0]
  for (const stretch of stretches) {
    joined.counts.set(stretch.counts, frame)
    joined.pitches.set(stretch.pitches, at)
    joined.strengths.set(stretch.strengths, at)
    frame += stretch.counts.length
    at += stretch.pitches.length
  }
  return joined
}

/** The peaks of the frames from `start` to `end`, or to the last frame. */
export const slicePeaks = ({ counts, pitches, strengths }: Peaks, start: number, end = counts.length): Peaks => {
  const sum = (some: Uint16Array) => some.reduce((total, count) => total + count, 0)
  const from = sum(counts.subarray(0, start))
  const to = from + sum(counts.subarray(start, end))
  return {
    counts: counts.subarray(start, end),
    pitches: pitches.subarray(from, to),
    strengths: strengths.subarray(from, to),
  }
}

/** Deviation of the piece's tuning from A = 440 Hz, in semitones (-0.5..0.5): the mean direction of all peaks. */
export const tuningOf = ({ pitches, strengths }: Peaks): number => {
  let [x, y] = [0, 0]
  for (let i = 0; i < pitches.length; i++) {
    const angle = 2 * Math.PI * (pitches[i] ?? 0)
    x += (strengths[i] ?? 0) * Math.cos(angle)
    y += (strengths[i] ?? 0) * Math.sin(angle)
  }
  return Math.atan2(y, x) / (2 * Math.PI)
}

/** Chroma of a whole piece, corrected for its tuning; frame k is centred on sample k × CHROMA_HOP. */
export const chromaOf = (peaks: Peaks): ChromaFrames => {
  const tuning = tuningOf(peaks)
  const frames = peaks.counts.length
  const values = new Float32Array(frames * 12)
  for (let frame = 0, i = 0; frame < frames; frame++) {
    const row = values.subarray(frame * 12, frame * 12 + 12)
    for (const end = i + (peaks.counts[frame] ?? 0); i < end; i++) {
      const pitch = (peaks.pitches[i] ?? 0) - tuning
      const nearest = Math.round(pitch)
      const at = ((nearest % 12) + 12) % 12
      row[at] = (row[at] ?? 0) + (peaks.strengths[i] ?? 0) * Math.cos(Math.PI * (pitch - nearest)) ** 2
    }
    const sum = row.reduce((total, value) => total + value, 0)
    if (sum > 0) for (let note = 0; note < 12; note++) row[note] = (row[note] ?? 0) / sum
  }
  return { frames, values }
}

/** The mean chroma between two samples; if no frame is centred between them, the frame nearest to the start. */
export const chromaBetween = (chroma: ChromaFrames, start: number, end: number): Float32Array => {
  const first = Math.min(chroma.frames - 1, Math.max(0, Math.round(start / chromaHop)))
  const last = Math.min(chroma.frames, Math.max(first + 1, Math.round(end / chromaHop)))
  const mean = new Float32Array(12)
  for (let frame = first; frame < last; frame++) {
    for (let i = 0; i < 12; i++) mean[i] = (mean[i] ?? 0) + (chroma.values[frame * 12 + i] ?? 0) / (last - first)
  }
  return mean
}
