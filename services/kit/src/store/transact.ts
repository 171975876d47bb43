import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isLostRace } from './postgres/postgres-errors.ts'

/** After this long without winning, the failure of the last try is given to the caller, in milliseconds. */
const patience = 10_000
const firstPause = 4
const longestPause = 250

/**
 * Does work again that lost against another transaction (a serialization failure or a deadlock: nothing of it is left),
 * after pauses of random length that grow, for at most 10 s.
 */
export const retryingLostRaces = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const deadline = performance.now() + patience
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await work()
    } catch (error) {
      if (!isLostRace(error) || performance.now() + pause > deadline) throw error
      await sleep(pause * (0.5 + Math.random()))
    }
  }
}

/**
 * Runs a transaction as if it were alone: all or nothing, and what it has read still holds when it commits. It is done
 * again when it lost against another one, so the work must do nothing but query the transaction that it is given.
 */
export const transact = <Tables, Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => retryingLostRaces(() => db.transaction().setIsolationLevel('serializable').execute(work))
