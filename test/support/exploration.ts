/**
 * How much tests explore, and from which seed. The default run explores little, from a seed that is drawn for each run and printed with it;
 * `npm run test:long` explores much more. `TEST_SEED` repeats a run and `TEST_RUNS_FACTOR` multiplies its counts.
 */

import { hash } from 'node:crypto'

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`${name} is "${text}", but must be a number above 0.`)
}

/** Multiplier of exploration counts. */
export const runsFactor = positive('TEST_RUNS_FACTOR', process.env.TEST_RUNS_FACTOR || '1')

/** The seed of this run, a positive 31-bit integer. The vitest configuration draws it; it is the same in every test file of the run. */
export const runSeed = Math.trunc(positive('TEST_SEED', process.env.TEST_SEED || '1'))

/** The number of cases to explore, of which `count` is the number in the default run. */
export const runs = (count: number): number => Math.max(1, Math.ceil(count * runsFactor))

/** `runs(count)` seeds, different ones in each run. Consecutive, so that a failing one can be repeated as `TEST_SEED` with a count of one. */
export const exploredSeeds = (count: number): number[] =>
  Array.from({ length: runs(count) }, (_, index) => ((runSeed + index - 1) % 0x7fffffff) + 1)

/** mulberry32: numbers from 0 up to 1 that follow from the seed alone. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The items in another order, which the random numbers decide. */
export const shuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)

/**
 * `runs(count)` of the items, drawn by the seed of the run, in their order; all of them where the factor is large enough. Draws with different
 * purposes are independent of each other.
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
 * The back ends that a suite runs on: one of those that this machine has, drawn for each run and suite, or all of them with a larger factor. For
 * suites of services, since the contracts of the ports hold the back ends to the same behaviour. Missing ones are included, to be skipped by name.
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
