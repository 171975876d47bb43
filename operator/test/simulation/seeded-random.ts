import { randomFrom } from '../../../test/support/exploration.ts'

/** Numbers from 0 up to 1 that follow from a seed alone, and what is drawn with them. */
export type SeededRandom = (() => number) & {
  /** A number from `least` up to `most`. */
  between: (min: number, max: number) => number
  /** True with this probability. */
  chance: (probability: number) => boolean
}

export const seededRandom = (seed: number): SeededRandom => {
  const random = randomFrom(seed)
  return Object.assign(random, {
    between: (min: number, max: number) => min + random() * (max - min),
    // A fault that is ruled out draws nothing, so that ruling it out leaves the others where they were.
    chance: (probability: number) => probability > 0 && random() < probability,
  })
}
