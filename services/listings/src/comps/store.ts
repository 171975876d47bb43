import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import { type CompDetails, expiresAt, type MarketComp, queryHash } from './comps.ts'
import { type CompHistory, historyFrom, historyWindow, snapshotLifetime } from './history.ts'

/** A stored market price, or the finding that there are too few sales for one. */
export type StoredComp = MarketComp & {
  readonly fetchedAt: string
  readonly expiresAt: string
  readonly history?: CompHistory | undefined
}

/** One row for each day on which a query's market price was looked up; the last lookup of the day counts. */
type CompSnapshotTable = {
  platform: string
  query_hash: string
  /** YYYY-MM-DD, UTC. */
  taken_on: string
  median_price: number
  quartiles_json: string
  currency: string
  sample_count: number
}

export type CompTables = { comp_snapshots: CompSnapshotTable }
type CompDb = Kysely<Pick<Tables, 'comps'> & CompTables>

export const compsMigration = (number: number): Migration => ({
  number,
  name: 'market prices with their details, failed lookups and history',
  up: async (db) => {
    // Rows live six hours; a new lookup replaces them, with details.
    await db.schema.dropTable('comps').execute()
    await db.schema
      .createTable('comps')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('query_hash', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('median_price', 'double precision')
      .addColumn('quartiles_json', 'text')
      .addColumn('currency', 'text')
      .addColumn('sample_count', 'integer', (column) => column.notNull())
      .addColumn('details_json', 'text', (column) => column.notNull().defaultTo('null'))
      .addColumn('fetched_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('comps_with_details_by_query', ['platform', 'query_hash'])
      .execute()
    await db.schema
      .createTable('comp_snapshots')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('query_hash', 'text', (column) => column.notNull())
      .addColumn('taken_on', 'text', (column) => column.notNull())
      .addColumn('median_price', 'double precision', (column) => column.notNull())
      .addColumn('quartiles_json', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('sample_count', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('comp_snapshots_by_day', ['platform', 'query_hash', 'taken_on'])
      .execute()
  },
})

const day = 86_400_000
const dayOf = (time: Date, daysBefore = 0): string =>
  new Date(time.getTime() - daysBefore * day).toISOString().slice(0, 10)

/** The daily prices of a query within the longest window, in one currency. */
const findHistory = async (
  db: CompDb,
  platform: string,
  query: string,
  comp: MarketComp,
  now: Date,
): Promise<CompHistory> => {
  const rows =
    comp.currency === null
      ? []
      : await db
          .selectFrom('comp_snapshots')
          .select(['taken_on', 'median_price'])
          .where('platform', '=', platform)
          .where('query_hash', '=', queryHash(query))
          .where('currency', '=', comp.currency)
          .where('taken_on', '>=', dayOf(now, historyWindow))
          .orderBy('taken_on')
          .execute()
  const snapshots = rows.map(({ taken_on, median_price }) => ({ takenOn: taken_on, medianPrice: median_price }))
  return historyFrom(snapshots, comp, now)
}

/** The stored market price of a query with its history, unless it has expired. */
export const findComp = async (
  db: CompDb,
  platform: string,
  query: string,
  now: Date,
): Promise<StoredComp | undefined> => {
  const row = await db
    .selectFrom('comps')
    .selectAll()
    .where('platform', '=', platform)
    .where('query_hash', '=', queryHash(query))
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  if (row === undefined) return undefined
  const comp: MarketComp = {
    medianPrice: row.median_price,
    quartiles: row.quartiles_json === null ? null : (JSON.parse(row.quartiles_json) as [number, number]),
    sampleCount: row.sample_count,
    currency: row.currency,
    details: (JSON.parse(row.details_json) as CompDetails | null) ?? undefined,
  }
  return {
    ...comp,
    fetchedAt: row.fetched_at,
    expiresAt: row.expires_at,
    history: await findHistory(db, platform, query, comp, now),
  }
}

/** Stores a price as the snapshot of its day, and deletes snapshots that are too old. */
const saveSnapshot = async (
  db: CompDb,
  platform: string,
  query: string,
  { medianPrice, quartiles, currency, sampleCount }: MarketComp,
  now: Date,
): Promise<void> => {
  if (medianPrice === null || quartiles === null || currency === null) return
  const key = { platform, query_hash: queryHash(query) }
  const values = {
    median_price: medianPrice,
    quartiles_json: JSON.stringify(quartiles),
    currency,
    sample_count: sampleCount,
  }
  await db
    .insertInto('comp_snapshots')
    .values({ ...key, taken_on: dayOf(now), ...values })
    .onConflict((conflict) => conflict.columns(['platform', 'query_hash', 'taken_on']).doUpdateSet(values))
    .execute()
  await db
    .deleteFrom('comp_snapshots')
    .where('platform', '=', platform)
    .where('query_hash', '=', key.query_hash)
    .where('taken_on', '<', dayOf(now, snapshotLifetime))
    .execute()
}

/**
 * Stores a query's market price for six hours, and a finding of too few sales for half an hour. Returns it with its history.
 * Replicas that look up the same query concurrently replace each other's rows.
 */
export const saveComp = async (
  db: CompDb,
  platform: string,
  query: string,
  comp: MarketComp,
  now: Date,
): Promise<StoredComp> => {
  const { medianPrice, quartiles, currency, sampleCount, details } = comp
  const times = { fetchedAt: now.toISOString(), expiresAt: expiresAt(now, comp).toISOString() }
  const values = {
    query,
    median_price: medianPrice,
    quartiles_json: quartiles === null ? null : JSON.stringify(quartiles),
    currency,
    sample_count: sampleCount,
    details_json: JSON.stringify(details ?? null),
    fetched_at: times.fetchedAt,
    expires_at: times.expiresAt,
  }
  await db
    .insertInto('comps')
    .values({ platform, query_hash: queryHash(query), ...values })
    .onConflict((conflict) => conflict.columns(['platform', 'query_hash']).doUpdateSet(values))
    .execute()
  await saveSnapshot(db, platform, query, comp, now)
  return { ...comp, ...times, history: await findHistory(db, platform, query, comp, now) }
}
