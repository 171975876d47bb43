/** A stream of pseudo-random choices, reproducible by seed. */
export type Random = {
  /** A number from 0 (included) to 1 (excluded). */
  readonly next: () => number
  /** A whole number between the two, both included. */
  readonly between: (low: number, high: number) => number
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value
  readonly chance: (probability: number) => boolean
  /** A number around 1 with a spread: the mean of four uniform draws, so mostly close to 1. */
  readonly around: (spread: number) => number
}

/** Marsaglia's 32-bit xorshift, with a mixed seed so that neighbouring seeds differ. */
export const createRandom = (seed: number): Random => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
  for (let warmUp = 0; warmUp < 8; warmUp++) next()
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
    chance: (probability) => next() < probability,
    around: (spread) => 1 + ((next() + next() + next() + next()) / 2 - 1) * spread,
  }
}
