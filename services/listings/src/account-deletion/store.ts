import { type Migration, sql } from '@trellis/kit/store'
import type { Kysely, Selectable } from 'kysely'

export type AccountDeletionTables = {
  /**
   * Notifications of deleted accounts: jobs until they are completed, then records without personal data. `*_at` columns are ISO
   * text; the other times are epoch milliseconds.
   */
  account_deletions: {
    notification_id: string
    received_at: string
    /** JSON list of the account's identifiers; null when completed. */
    identifiers_json: string | null
    /** Passes over all stores that are done. */
    passes: number
    attempts: number
    /** Null when completed. */
    next_attempt_at: number | null
    /** Until then a replica is working on it. */
    claimed_until: number
    /** JSON object: how much was deleted, by what it was. */
    erased_json: string
    completed_at: string | null
  }
}

export const accountDeletionMigration = (number: number): Migration => ({
  number,
  name: 'account deletions, and indexes to find sellers in any case',
  up: async (db) => {
    await db.schema
      .createTable('account_deletions')
      .addColumn('notification_id', 'text', (column) => column.primaryKey())
      .addColumn('received_at', 'text', (column) => column.notNull())
      .addColumn('identifiers_json', 'text')
      .addColumn('passes', 'integer', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .addColumn('erased_json', 'text', (column) => column.notNull())
      .addColumn('completed_at', 'text')
      .execute()
    const index = (name: string, table: string) => db.schema.createIndex(name).on(table)
    await index('account_deletions_by_time', 'account_deletions').column('next_attempt_at').execute()
    await index('account_deletions_completed', 'account_deletions').column('completed_at').execute()
    await index('listings_by_folded_seller', 'listings').expression(sql`lower(seller_platform_id)`).execute()
    await index('sellers_by_folded_id', 'sellers').expression(sql`lower(platform_seller_id)`).execute()
    await index('sellers_by_folded_name', 'sellers').expression(sql`lower(username)`).execute()
  },
})

export type Db = Kysely<AccountDeletionTables>
export type DeletionRow = Selectable<AccountDeletionTables['account_deletions']>

/** Stores a notification; false if it was received before. */
export const insertDeletion = async (
  db: Db,
  { id, identifiers }: { readonly id: string; readonly identifiers: readonly string[] },
  now: Date,
): Promise<boolean> => {
  const inserted = await db
    .insertInto('account_deletions')
    .values({
      notification_id: id,
      received_at: now.toISOString(),
      identifiers_json: JSON.stringify(identifiers),
      passes: 0,
      attempts: 0,
      next_attempt_at: now.getTime(),
      claimed_until: 0,
      erased_json: '{}',
      completed_at: null,
    })
    .onConflict((conflict) => conflict.column('notification_id').doNothing())
    .returning('notification_id')
    .executeTakeFirst()
  return inserted !== undefined
}

const due = (db: Db, now: number) =>
  db
    .selectFrom('account_deletions')
    .select('notification_id')
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<', now)

/** Notifications whose time has come and that no replica is working on, oldest first. */
export const dueDeletions = async (db: Db, now: number, limit: number): Promise<readonly string[]> =>
  (await due(db, now).orderBy('next_attempt_at').limit(limit).execute()).map(({ notification_id }) => notification_id)

/** Claims a due notification for this replica until a time; undefined if another has it, or it is done. */
export const claimDeletion = (
  db: Db,
  { id, now, until }: { readonly id: string; readonly now: number; readonly until: number },
): Promise<DeletionRow | undefined> =>
  db
    .updateTable('account_deletions')
    .set((eb) => ({ claimed_until: until, attempts: eb('attempts', '+', 1) }))
    .where('notification_id', '=', id)
    .where('next_attempt_at', '<=', now)
    .where('claimed_until', '<', now)
    .returningAll()
    .executeTakeFirst()

/** Changes a claimed notification; not if another replica has claimed it since. */
export const updateDeletion = (db: Db, { notification_id, attempts }: DeletionRow, change: Partial<DeletionRow>) =>
  db
    .updateTable('account_deletions')
    .set(change)
    .where('notification_id', '=', notification_id)
    .where('attempts', '=', attempts)
    .execute()

export const deleteCompletedBefore = (db: Db, time: Date) =>
  db.deleteFrom('account_deletions').where('completed_at', '<', time.toISOString()).execute()
