import { median } from '../dsp/statistics.ts'

/** Beats on each side by which the pulse at a beat is judged. */
const reach = 8
/** Fewest beats that make a pulse. */
const fewest = 5
/** Beats stray by no more than this share of their distance (as a median) from a pulse that is steady. */
const steadyShare = 0.05

/** Slope and offset of the line through points that most of them agree on (Theil and Sen), however far others are from it. */
const medianLine = (values: readonly number[]): { slope: number; offset: number } => {
  const slopes = values.flatMap((value, i) => values.slice(i + 1).map((later, k) => (later - value) / (k + 1)))
  const slope = median(slopes)
  return { slope, offset: median(values.map((value, i) => value - slope * i)) }
}

/**
 * Where beats fall if the pulse around each of them is kept: a beat is an attack, which a player may have placed a little before
 * or after it, and the last one of a piece may be a mistake. Where the pulse is not steady, the beats themselves.
 */
export const steadyPulse = (beats: readonly number[]): number[] =>
  beats.map((beat, at) => {
    const from = Math.max(0, at - reach)
    const near = beats.slice(from, at + reach + 1)
    if (near.length < fewest) return beat
    const { slope, offset } = medianLine(near)
    const strayed = median(near.map((other, i) => Math.abs(other - offset - slope * i)))
    return strayed <= steadyShare * slope ? offset + slope * (at - from) : beat
  })
