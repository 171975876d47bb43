import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import { backoff } from '@trellis/kit/retry'
import { MigrationError } from '@trellis/kit/store'
import type { Dependencies } from '../dependencies.ts'
import { openCommunityDatabase } from './community-database.ts'
import { claimSignals, deletePublished, hasDueSignals, postponeSignals } from './outbox-store.ts'
import type { PublishedSignalRow } from './store.ts'

const limits = {
  /** Signals published together. */
  batch: 100,
  /** Longer than publishing takes: after it, another replica publishes the signals of one that died. */
  claimMilliseconds: 120_000,
  backoff: { initial: 5_000, max: 3_600_000 },
  /** After this a signal is abandoned. */
  lifetimeMilliseconds: 7 * 86_400_000,
}

const sharedRow = (row: PublishedSignalRow) => ({
  id: row.id,
  platform: row.platform,
  platform_seller_id: row.platform_seller_id,
  confirmed_scam: 1,
  signal_source: row.signal_source,
  flags: row.flags_json,
  created_at: row.created_at,
})

export type OutboxOptions = Pick<Dependencies, 'db' | 'config' | 'log' | 'now' | 'signal'> & {
  readonly roundMilliseconds?: number
  readonly random?: () => number
}

/**
 * Publishes the signals of the outbox to the community database, in batches that one replica at a time has claimed. A signal is
 * inserted by its id, so it is published once even if a replica dies before it deletes the row of the outbox.
 */
export const openOutbox = (options: OutboxOptions): Rounds => {
  const { db, config, log, now, signal, roundMilliseconds = 5_000, random = Math.random } = options
  const databaseUrl = config.communityDatabase

  const publish = async (url: string, rows: readonly PublishedSignalRow[]): Promise<void> => {
    await using community = await openCommunityDatabase(url, log)
    await community.db
      .insertInto('seller_signals')
      .values(rows.map(sharedRow))
      // Without a target, which would need the right to read.
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const postpone = async (rows: readonly PublishedSignalRow[], error: unknown): Promise<void> => {
    const time = now().getTime()
    const expired = rows.filter(({ created_at }) => time - Date.parse(created_at) > limits.lifetimeMilliseconds)
    if (expired.length > 0) await deletePublished(db, expired)
    const attempts = Math.max(...rows.map((row) => row.attempts))
    const next = Math.round(time + backoff(attempts, limits.backoff, random))
    await postponeSignals(db, rows, { next, error: error instanceof Error ? error.name : 'Error' })
    const context = { err: error, signals: rows.length, abandoned: expired.length }
    if (error instanceof MigrationError) log.error(context, error.message)
    else log.warn(context, 'community: signals could not be published; they are retried')
  }
  const round = async (): Promise<void> => {
    if (databaseUrl === undefined) return
    while (!signal.aborted && (await hasDueSignals(db, now().getTime()))) {
      const time = now().getTime()
      const rows = await claimSignals(db, { now: time, until: time + limits.claimMilliseconds, limit: limits.batch })
      if (rows.length === 0) return
      try {
        await publish(databaseUrl, rows)
      } catch (error) {
        return await postpone(rows, error)
      }
      await deletePublished(db, rows)
    }
  }
  return startRounds({
    milliseconds: roundMilliseconds,
    signal,
    round,
    onFailure: (error) => log.warn({ err: error }, 'community: the outbox could not be read'),
  })
}
