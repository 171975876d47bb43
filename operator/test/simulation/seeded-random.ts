import { randomFrom } from '@trellis/test/support/exploration'

/** Random numbers in [0, 1) that depend only on a seed. */
export type SeededRandom = (() => number) & {
  /** A number in [min, max). */
  between: (min: number, max: number) => number
  /** True with this probability. */
  chance: (probability: number) => boolean
}

export const seededRandom = (seed: number): SeededRandom => {
  const random = randomFrom(seed)
  return Object.assign(random, {
    between: (min: number, max: number) => min + random() * (max - min),
    // A fault with probability 0 draws no number, so disabling it does not shift the draws of the others.
    chance: (probability: number) => probability > 0 && random() < probability,
  })
}
