import type { Activations } from './activations.ts'
import type { BeatAccents } from './bars.ts'
import { type ChromaFrames, chromaBetween } from './chroma.ts'
import { analysisRate, HOP } from './spectral-frames.ts'

/** Half the summed absolute difference of two chroma vectors: 0 for the same harmony, 1 for nothing in common. */
export const chromaDistance = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0))
  return sum / 2
}

/** The evidence for bars at each of the beats (samples at ANALYSIS_RATE). */
export const accentsOf = (
  chroma: ChromaFrames,
  { accent, low, snare, chords }: Activations,
  beats: readonly number[],
): BeatAccents => {
  const harmonies = beats.map((beat, i) => chromaBetween(chroma, beat, beats[i + 1] ?? beat + analysisRate / 2))
  const at = (curve: Float32Array) =>
    beats.map((beat) => {
      const frame = Math.round(beat / HOP)
      return Math.max(curve[frame - 1] ?? 0, curve[frame] ?? 0, curve[frame + 1] ?? 0)
    })
  const harmony = harmonies.map((here, i) => chromaDistance(here, harmonies[i - 1] ?? here))
  return { accent: at(accent), low: at(low), snare: at(snare), chords: at(chords), harmony }
}
