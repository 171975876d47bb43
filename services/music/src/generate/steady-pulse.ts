import { steadyLine } from '../analysis/steady-line.ts'

/** Beats on each side by which the pulse at a beat is judged. */
const reach = 8

/**
 * Where beats fall if the pulse around each of them is kept: a beat is an attack, which a player may have placed a little before
 * or after it, and the last one of a piece may be a mistake. Where the pulse is not steady, the beats themselves.
 */
export const steadyPulse = (beats: readonly number[]): number[] =>
  beats.map((beat, index) => {
    const from = Math.max(0, index - reach)
    return steadyLine(beats.slice(from, index + reach + 1))?.at(index - from) ?? beat
  })
