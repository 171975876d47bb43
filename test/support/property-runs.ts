import type { Parameters } from 'fast-check'
import { runSeed, runs, runsFactor } from './exploration.ts'

/**
 * Parameters of fast-check properties, with run counts and seed of `exploration.ts`. `TEST_SECONDS` sets a time budget per property,
 * which then runs until the budget is used up. `TEST_PATH` with `TEST_SEED` replays one case: fast-check prints both when it fails.
 */
const { TEST_PATH: path = '', TEST_SECONDS: budget = '' } = process.env
const seconds = Number(budget)
if (!Number.isFinite(seconds) || seconds < 0)
  throw new Error(`TEST_SECONDS is "${budget}", but must be a number of seconds.`)

const maxRuns = 2 ** 31 - 1

export type PropertyRuns = Required<Pick<Parameters<unknown>, 'numRuns' | 'seed'>> &
  Pick<Parameters<unknown>, 'path' | 'interruptAfterTimeLimit' | 'markInterruptAsFailure'>

/** Parameters for `fc.assert`; `count` is the number of cases in the default run. */
export const propertyRuns = (count = 100): PropertyRuns => ({
  numRuns: seconds > 0 ? maxRuns : runs(count),
  seed: runSeed,
  ...(path !== '' && { path }),
  ...(seconds > 0 && { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }),
})

/** The timeout in milliseconds for a property test; `milliseconds` is that for its default number of cases. */
export const propertyTimeout = (milliseconds: number): number => milliseconds * Math.max(1, runsFactor) + seconds * 1000
