import { type Migration, transact } from '@trellis/kit/store'
import type { Generated, Kysely, Selectable } from 'kysely'
import { allGuests } from '../session/guests.ts'

/** A saved search and its monitor. Times are ISO 8601 text. */
export type SavedSearchTable = {
  id: Generated<number>
  user_id: string
  /** The tier that the user last called with, for runs that no call starts. */
  tier: string
  name: string
  query: string
  platform: string
  filters_json: string
  created_at: string
  /** When the user last ran it; null before the first time. */
  last_run_at: string | null
  /** When its user last used saved searches, to the day; those of guests are deleted after a while. */
  used_at: string
  monitor_enabled: number
  poll_interval_min: number
  min_trust_score: number
  last_checked_at: string | null
  last_error: string | null
  /** Failed runs of the monitor since the last that succeeded, except those that failed within this installation. */
  failures: number
  /** Runs of the monitor in a row that failed within this installation. */
  own_failures: Generated<number>
  /** When the monitor is due; null if it is switched off. */
  next_check_at: string | null
  /** The search of the monitor's current run; null if none is under way. */
  run_id: string | null
  run_started_at: string | null
  /** Until when a replica is concluding or checking the current run. */
  claimed_until: string | null
}

export type SavedSearchTables = { saved_searches: SavedSearchTable }
export type SavedSearchRow = Selectable<SavedSearchTable>
type Db = Kysely<SavedSearchTables>

export const savedSearchesMigration = (number: number): Migration => ({
  number,
  name: 'saved searches and monitors',
  up: async (db) => {
    await db.schema
      .createTable('saved_searches')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('tier', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('filters_json', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('last_run_at', 'text')
      .addColumn('used_at', 'text', (column) => column.notNull())
      .addColumn('monitor_enabled', 'integer', (column) => column.notNull())
      .addColumn('poll_interval_min', 'integer', (column) => column.notNull())
      .addColumn('min_trust_score', 'integer', (column) => column.notNull())
      .addColumn('last_checked_at', 'text')
      .addColumn('last_error', 'text')
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('next_check_at', 'text')
      .addColumn('run_id', 'text')
      .addColumn('run_started_at', 'text')
      .addColumn('claimed_until', 'text')
      .execute()
    await db.schema.createIndex('saved_searches_by_user').on('saved_searches').columns(['user_id', 'id']).execute()
    await db.schema.createIndex('saved_searches_due').on('saved_searches').columns(['next_check_at']).execute()
    await db.schema.createIndex('saved_searches_running').on('saved_searches').columns(['run_id']).execute()
    // Monitors read what one search saw, and why it failed.
    await db.schema.createIndex('listing_sightings_of_search').on('listing_sightings').columns(['search_id']).execute()
    await db.schema.alterTable('search_sessions').addColumn('failure_json', 'text').execute()
  },
})

/** Monitors that are due are those without a run: with `run_id` alone, every monitor would be read for each round. */
export const dueMonitorsMigration = (number: number): Migration => ({
  number,
  name: 'due monitors by run and time',
  up: async (db) => {
    await db.schema.dropIndex('saved_searches_running').execute()
    await db.schema
      .createIndex('saved_searches_running')
      .on('saved_searches')
      .columns(['run_id', 'next_check_at'])
      .execute()
  },
})

export const ownFailuresMigration = (number: number): Migration => ({
  number,
  name: 'failures of monitors within this installation',
  up: async (db) => {
    await db.schema
      .alterTable('saved_searches')
      .addColumn('own_failures', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
})

/** Monitors as they are before their first change. */
export const newMonitor = { intervalMinutes: 60, minTrustScore: 60 } as const

/** A user's saved searches, newest first. */
export const listSavedSearches = (db: Db, userId: string): Promise<SavedSearchRow[]> =>
  db.selectFrom('saved_searches').selectAll().where('user_id', '=', userId).orderBy('id', 'desc').execute()

export type NewSavedSearch = Pick<
  SavedSearchRow,
  'user_id' | 'tier' | 'name' | 'query' | 'platform' | 'filters_json' | 'created_at'
>

/** Inserts a saved search unless its user already has `limit`; then undefined. Concurrent calls cannot exceed the limit. */
export const insertSavedSearch = (db: Db, row: NewSavedSearch, limit: number): Promise<SavedSearchRow | undefined> =>
  transact(db, async (transaction) => {
    const { count } = await transaction
      .selectFrom('saved_searches')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('user_id', '=', row.user_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= limit) return undefined
    return transaction
      .insertInto('saved_searches')
      .values({
        ...row,
        used_at: row.created_at.slice(0, 10),
        monitor_enabled: 0,
        poll_interval_min: newMonitor.intervalMinutes,
        min_trust_score: newMonitor.minTrustScore,
        failures: 0,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Deletes a user's saved search, and returns it if there was one. */
export const deleteSavedSearch = (db: Db, userId: string, id: number): Promise<SavedSearchRow | undefined> =>
  db.deleteFrom('saved_searches').where('id', '=', id).where('user_id', '=', userId).returningAll().executeTakeFirst()

/** Records that the user ran a saved search; false if they have none with this id. */
export const recordRun = async (db: Db, userId: string, id: number, at: string): Promise<boolean> => {
  const found = await db
    .updateTable('saved_searches')
    .set({ last_run_at: at })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return found !== undefined
}

/** Records that a user was here today, with their tier; changes nothing if that is known. */
export const recordUse = async (
  db: Db,
  { userId, tier }: { userId: string; tier: string },
  at: Date,
): Promise<void> => {
  const today = at.toISOString().slice(0, 10)
  await db
    .updateTable('saved_searches')
    .set({ used_at: today, tier })
    .where('user_id', '=', userId)
    .where((row) => row.or([row('used_at', '<', today), row('tier', '<>', tier)]))
    .execute()
}

/** Deletes saved searches of guests who were last here before a day. */
export const deleteOfUnseenGuests = async (db: Db, before: Date): Promise<void> => {
  await db
    .deleteFrom('saved_searches')
    .where('user_id', 'like', allGuests)
    .where('used_at', '<', before.toISOString().slice(0, 10))
    .execute()
}
