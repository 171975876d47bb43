import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isLostRace } from './postgres/postgres-errors.ts'

/** Time limit of retries, after which the last error is thrown, in milliseconds. */
const retryLimit = 10_000
const firstPause = 4
const longestPause = 250

/**
 * Retries work that failed with a serialization failure or a deadlock, and so was rolled back,
 * with exponential back-off and jitter, for at most 10 s.
 */
export const retryingLostRaces = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const deadline = performance.now() + retryLimit
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
 * Runs a serializable transaction. It is retried after a conflict with another one, so the work must have no
 * side effects besides its queries on the transaction.
 */
export const transact = <Tables, Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => retryingLostRaces(() => db.transaction().setIsolationLevel('serializable').execute(work))
