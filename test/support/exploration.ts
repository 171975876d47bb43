/**
 * Seed and case counts of exploring tests. The default run explores few cases from a random seed, which it prints; `npm run test:long` explores many
 * more. `TEST_SEED` repeats a run and `TEST_RUNS_FACTOR` multiplies its counts.
 */

import { hash } from 'node:crypto'

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`${name} is "${text}", but must be a number above 0.`)
}

/** Multiplier of exploration counts. */
export const runsFactor = positive('TEST_RUNS_FACTOR', process.env.TEST_RUNS_FACTOR || '1')

/** The seed of this run, a positive 31-bit integer. Drawn by the vitest configuration, the same in all test files of the run. */
export const runSeed = Math.trunc(positive('TEST_SEED', process.env.TEST_SEED || '1'))

/** The number of cases to explore; `count` is that of the default run. */
export const runs = (count: number): number => Math.max(1, Math.ceil(count * runsFactor))

/** The factor of \`npm run test:long\`. */
const longFactor = 10

/** Like \`runs\`, but at least \`whole\` cases in \`npm run test:long\`. */
export const runsOrWhole = (count: number, whole: number): number =>
  runsFactor >= longFactor ? Math.max(whole, runs(count)) : runs(count)

/** `runs(count)` seeds, or \`total\`, different in each run. Consecutive, so that a failing one can be repeated as `TEST_SEED` with a count of one. */
export const exploredSeeds = (count: number, total = runs(count)): number[] =>
  Array.from({ length: total }, (_, index) => ((runSeed + index - 1) % 0x7fffffff) + 1)

/** The generator mulberry32: numbers in [0, 1) that depend only on the seed. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The items in random order. */
export const shuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)

/**
 * A sample of `runs(count)` items, drawn by the seed of the run, in their original order; all of them if the factor is large enough. Draws with
 * different purposes are independent of each other.
 */
export const sample = <Item>(items: readonly Item[], count: number, purpose = ''): Item[] => {
  const random = randomFrom(purpose === '' ? runSeed : hash('sha256', `${runSeed} ${purpose}`, 'buffer').readInt32LE())
  let left = Math.min(runs(count), items.length)
  return items.filter((_, index) => {
    const isChosen = random() < left / (items.length - index)
    if (isChosen) left -= 1
    return isChosen
  })
}

/**
 * The back ends of a suite: one of those available on this machine, drawn for each run and suite, or all of them with a larger factor. One is enough
 * for suites of services, because contract tests ensure that the back ends behave the same. Missing ones are included, to be skipped by name.
 */
export const drawnBackend = <Backend extends { isMissing: boolean }>(
  backends: readonly Backend[],
  suite: string,
): Backend[] => {
  const drawn = new Set(
    sample(
      backends.filter(({ isMissing }) => !isMissing),
      1,
      suite,
    ),
  )
  return backends.filter((backend) => backend.isMissing || drawn.has(backend))
}
