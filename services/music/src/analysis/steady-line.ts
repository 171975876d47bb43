import { median } from '../dsp/statistics.ts'

/** Fewest beats that make a pulse. */
const fewest = 5
/** Beats stray by no more than this share of their distance (as a median) from a pulse that is steady. */
const steadyShare = 0.05

/** An even pulse: where the beat of an index lies, and the interval between two. */
export type SteadyLine = { readonly interval: number; readonly at: (index: number) => number }

/** The even pulse that most of the beats agree on (Theil and Sen), however far others are from it; undefined if they agree on none. */
export const steadyLine = (beats: readonly number[]): SteadyLine | undefined => {
  if (beats.length < fewest) return undefined
  const interval = median(beats.flatMap((beat, i) => beats.slice(i + 1).map((later, k) => (later - beat) / (k + 1))))
  const offset = median(beats.map((beat, i) => beat - interval * i))
  const at = (index: number) => offset + interval * index
  const strayed = median(beats.map((beat, i) => Math.abs(beat - at(i))))
  return strayed <= steadyShare * interval ? { interval, at } : undefined
}
