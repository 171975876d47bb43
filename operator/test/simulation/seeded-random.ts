/** Numbers from 0 up to 1 that follow from a seed alone (mulberry32), and what is drawn with them. */
export type SeededRandom = (() => number) & {
  /** A number from `least` up to `most`. */
  between: (least: number, most: number) => number
  /** True with this probability. */
  chance: (probability: number) => boolean
}

export const seededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return Object.assign(random, {
    between: (least: number, most: number) => least + random() * (most - least),
    // A fault that is ruled out draws nothing, so that ruling it out leaves the others where they were.
    chance: (probability: number) => probability > 0 && random() < probability,
  })
}
