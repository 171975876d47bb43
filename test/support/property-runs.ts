import type { Parameters } from 'fast-check'
import { runSeed, runs, runsFactor } from './exploration.ts'

/**
 * Parameters of fast-check properties: number of runs and seed are those of `exploration.ts`. `TEST_SECONDS` is a time budget per
 * property, which then runs until it is spent. `TEST_PATH` with `TEST_SEED` replays one case: fast-check reports both when it fails.
 */
const { TEST_PATH: path = '', TEST_SECONDS: budget = '' } = process.env
const seconds = Number(budget)
if (!Number.isFinite(seconds) || seconds < 0)
  throw new Error(`TEST_SECONDS is "${budget}", but must be a number of seconds.`)

const maxRuns = 2 ** 31 - 1

export type PropertyRuns = Required<Pick<Parameters<unknown>, 'numRuns' | 'seed'>> &
  Pick<Parameters<unknown>, 'path' | 'interruptAfterTimeLimit' | 'markInterruptAsFailure'>

/** Parameters for `fc.assert` of a property of which `count` is the number of cases in the default run. */
export const propertyRuns = (count = 100): PropertyRuns => ({
  numRuns: seconds > 0 ? maxRuns : runs(count),
  seed: runSeed,
  ...(path !== '' && { path }),
  ...(seconds > 0 && { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }),
})

/** A time-out in milliseconds for the test of a property: `milliseconds` are for its default number of cases. */
export const propertyTimeout = (milliseconds: number): number => milliseconds * Math.max(1, runsFactor) + seconds * 1000
