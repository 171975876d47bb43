import { type Migration, sql, transact } from '@trellis/kit/store'
import type { Kysely, Selectable } from 'kysely'

export type CommunityTables = {
  /** Users' judgements of the scores of sellers, shared by all users: one row for each user and seller. `confirmed` is 0 or 1. */
  community_signals: {
    user_id: string
    by_guest: number
    seller_id: string
    confirmed: number
    recorded_at: string
  }
  /** Outbox of signals for the community database. Times are epoch milliseconds, but `created_at`; `flags_json` is a list. */
  published_signals: {
    id: string
    platform: string
    platform_seller_id: string
    signal_source: string
    flags_json: string
    created_at: string
    attempts: number
    next_attempt_at: number
    /** Until then a replica is publishing it. */
    claimed_until: number
    last_error: string | null
  }
}

export const communityMigration = (number: number): Migration => ({
  number,
  name: 'community signals and their publication',
  up: async (db) => {
    await db.schema
      .createTable('community_signals')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('by_guest', 'integer', (column) => column.notNull())
      .addColumn('seller_id', 'text', (column) => column.notNull())
      .addColumn('confirmed', 'integer', (column) => column.notNull())
      .addColumn('recorded_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('community_signals_key', ['user_id', 'seller_id'])
      .execute()
    const index = (name: string) => db.schema.createIndex(name).on('community_signals')
    await index('community_signals_by_time').columns(['user_id', 'recorded_at', 'seller_id']).execute()
    await index('community_signals_by_guest').columns(['by_guest', 'recorded_at', 'seller_id']).execute()
    await index('community_signals_by_seller').expression(sql`lower(seller_id)`).execute()
    await db.schema
      .createTable('published_signals')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('platform_seller_id', 'text', (column) => column.notNull())
      .addColumn('signal_source', 'text', (column) => column.notNull())
      .addColumn('flags_json', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .execute()
    await db.schema
      .createIndex('published_signals_by_time')
      .on('published_signals')
      .columns(['next_attempt_at'])
      .execute()
  },
})

export type Db = Kysely<CommunityTables>
export type SignalRow = Selectable<CommunityTables['community_signals']>
export type PublishedSignalRow = Selectable<CommunityTables['published_signals']>

/** Maximum signals of a user, and of all guests together; beyond it the oldest are deleted. */
const limits = { user: 2_000, guests: 50_000 }

const trim = async (db: Db, column: 'user_id' | 'by_guest', value: string | number, limit: number): Promise<void> => {
  const oldest = await db
    .selectFrom('community_signals')
    .select('recorded_at')
    .where(column, '=', value)
    .orderBy('recorded_at', 'desc')
    .orderBy('seller_id', 'desc')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await db
    .deleteFrom('community_signals')
    .where(column, '=', value)
    .where('recorded_at', '<=', oldest.recorded_at)
    .execute()
}

/** Stores a user's signal about a seller in place of an earlier one. */
export const saveSignal = (db: Db, row: SignalRow, { user, guests } = limits): Promise<void> =>
  transact(db, async (transaction) => {
    await transaction
      .insertInto('community_signals')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'seller_id'])
          .doUpdateSet({ confirmed: row.confirmed, recorded_at: row.recorded_at }),
      )
      .execute()
    await trim(transaction, 'user_id', row.user_id, user)
    if (row.by_guest === 1) await trim(transaction, 'by_guest', 1, guests)
  })
