import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum duration of a pause. */
const maxMilliseconds = 5_000

/** Limits deferrable work to a share of the time while there is urgent work. */
export type Budget = {
  /** Reports urgent work. */
  busy: () => void
  /** Runs a step; if there was urgent work lately, pauses afterwards so that steps take only their share of the time. */
  step: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Time for which urgent work counts, in milliseconds. */
const lately = 2_000

export type BudgetOptions = {
  /** The share of the time for steps in busy times. */
  share: number
  /** A monotonic clock, in milliseconds. */
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
