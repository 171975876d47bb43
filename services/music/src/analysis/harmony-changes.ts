import { type ChromaFrames, chromaBetween } from './chroma.ts'

/** How much two harmonies of unit sum differ: 0 if they are alike, 1 if they have no note in common, or if one is silent. */
const difference = (one: Float32Array, other: Float32Array): number =>
  1 - one.reduce((sum, strength, note) => sum + Math.sqrt(strength * (other[note] ?? 0)), 0)

/** How much (0..1) the harmony from each beat to the next differs from that of the beat before; beats in samples. */
export const harmonyChanges = (chroma: ChromaFrames, beats: readonly number[]): number[] => {
  const harmonies = beats.map((beat, i) => {
    const next = beats[i + 1] ?? 2 * beat - (beats[i - 1] ?? beat)
    return chromaBetween(chroma, beat, next)
  })
  return harmonies.map((harmony, i) => difference(harmonies[i - 1] ?? harmony, harmony))
}
