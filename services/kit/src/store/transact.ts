import type { Kysely, Transaction } from 'kysely'
import { retry } from '../retry/mod.ts'
import { isLostRace } from './postgres/postgres-errors.ts'

/** Lost races are retried for at most 10 s. */
const lostRaces = { backoff: { initial: 4, max: 250 }, withinMilliseconds: 10_000, isRetryable: isLostRace }

/** Retries work that failed with a serialization failure or a deadlock, and so was rolled back. */
export const retryingLostRaces = <Result>(work: () => Promise<Result>): Promise<Result> => retry(lostRaces, work)

/**
 * Runs a serializable transaction. It is retried after a conflict with another one, so the work must have no
 * side effects besides its queries on the transaction.
 */
export const transact = <Tables, Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => retryingLostRaces(() => db.transaction().setIsolationLevel('serializable').execute(work))
