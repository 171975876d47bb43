import { setTimeout as sleep } from 'node:timers/promises'

/** The most a pause takes. */
const maxMilliseconds = 5_000

/** Lets work that can wait have a share of the time while there is work that cannot. */
export type Budget = {
  /** There is work that cannot wait. */
  busy: () => void
  /** Does a step; where there was other work lately, pauses after it as much longer as the share says. */
  step: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Other work counts for so long. */
const lately = 2_000

export type BudgetOptions = {
  /** Of the time, for steps, in busy times. */
  share: number
  /** A clock that never goes back, in milliseconds. */
  elapsed?: () => number
  pause?: (milliseconds: number) => Promise<unknown>
}

const sleepAside = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false })

export const createBudget = ({
  share,
  elapsed = () => performance.now(),
  pause = sleepAside,
}: BudgetOptions): Budget => {
  let busyAt = Number.NEGATIVE_INFINITY
  return {
    busy: () => {
      busyAt = elapsed()
    },
    step: async (work) => {
      const started = elapsed()
      const result = await work()
      const took = elapsed() - started
      if (elapsed() - busyAt < lately) await pause(Math.min(maxMilliseconds, took * (1 / share - 1)))
      return result
    },
  }
}
