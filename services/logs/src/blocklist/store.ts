import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type BlocklistTables = {
  blocklist_candidates: CandidateTable
  blocklist_sources: { source_id: string; entries: number }
  blocklist_windows: WindowTable
}

export const statuses = ['candidate', 'approved', 'ignored', 'blocked', 'unblocked', 'push_failed'] as const
export type Status = (typeof statuses)[number]

/** Times are epoch milliseconds. `source_ids` is a JSON list, `devices` a JSON object from addresses to numbers of queries. */
export type CandidateTable = {
  id: string
  domain: string
  status: Status
  count: number
  first_seen: number
  last_seen: number
  source_ids: string
  devices: string
  last_error: string | null
}

/** An hour of a source: its number of entries and their counts (JSON), so that the hour can be counted again. */
export type WindowTable = { source_id: string; start: number; entries: number; sightings: string }

export const blocklistMigration: Migration = {
  number: 15,
  name: 'block list candidates',
  up: async (db) => {
    await db.schema
      .createTable('blocklist_candidates')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('domain', 'text', (column) => column.notNull().unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('first_seen', 'double precision', (column) => column.notNull())
      .addColumn('last_seen', 'double precision', (column) => column.notNull())
      .addColumn('source_ids', 'text', (column) => column.notNull())
      .addColumn('devices', 'text', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .execute()
    await db.schema
      .createIndex('blocklist_candidates_by_status')
      .on('blocklist_candidates')
      .columns(['status', 'last_seen'])
      .execute()
    await db.schema
      .createTable('blocklist_sources')
      .addColumn('source_id', 'text', (column) => column.primaryKey())
      .addColumn('entries', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('blocklist_windows')
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('entries', 'integer', (column) => column.notNull())
      .addColumn('sightings', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('blocklist_windows_key', ['source_id', 'start'])
      .execute()
  },
}

type Db = Kysely<BlocklistTables>

/** Values or rows per statement, since databases limit its parameters. */
const valuesAtOnce = 500

export const listCandidates = (db: Db, status: Status | undefined) => {
  const all = db.selectFrom('blocklist_candidates').selectAll()
  return (status === undefined ? all : all.where('status', '=', status)).execute()
}

/** When any candidate was first seen and when any was last seen; null without candidates. */
export const seenSpan = (db: Db) =>
  db
    .selectFrom('blocklist_candidates')
    .select((row) => [
      row.fn.min<number | null>('first_seen').as('since'),
      row.fn.max<number | null>('last_seen').as('now'),
    ])
    .executeTakeFirstOrThrow()

export const findCandidate = (db: Db, id: string) =>
  db.selectFrom('blocklist_candidates').selectAll().where('id', '=', id).executeTakeFirst()

/** Changes the status of a candidate that still has the status `from`. */
export const moveCandidate = (
  db: Db,
  { id, from, status, lastError }: { id: string; from: Status; status: Status; lastError: string | null },
) =>
  db
    .updateTable('blocklist_candidates')
    .set({ status, last_error: lastError })
    .where('id', '=', id)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst()

export const candidatesOf = async (db: Db, domains: readonly string[]): Promise<CandidateTable[]> => {
  const found: CandidateTable[] = []
  for (let start = 0; start < domains.length; start += valuesAtOnce) {
    const some = domains.slice(start, start + valuesAtOnce)
    found.push(...(await db.selectFrom('blocklist_candidates').selectAll().where('domain', 'in', some).execute()))
  }
  return found
}

export const insertCandidates = async (db: Db, rows: readonly CandidateTable[]) => {
  for (let start = 0; start < rows.length; start += valuesAtOnce)
    await db
      .insertInto('blocklist_candidates')
      .values(rows.slice(start, start + valuesAtOnce))
      .execute()
}

export const saveSightings = (db: Db, { id, count, first_seen, last_seen, source_ids, devices }: CandidateTable) =>
  db
    .updateTable('blocklist_candidates')
    .set({ count, first_seen, last_seen, source_ids, devices })
    .where('id', '=', id)
    .execute()

/** Deletes undecided candidates except the `max` that were seen last. */
export const deleteOldestCandidates = (db: Db, max: number) =>
  db
    .deleteFrom('blocklist_candidates')
    .where('status', '=', 'candidate')
    .where('id', 'not in', (row) =>
      row
        .selectFrom('blocklist_candidates as newest')
        .select('newest.id')
        .where('newest.status', '=', 'candidate')
        .orderBy('newest.last_seen', 'desc')
        .orderBy('newest.id')
        .limit(max),
    )
    .execute()

export const scannedSources = async (db: Db): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await db.selectFrom('blocklist_sources').selectAll().execute()).map(({ source_id, entries }) => [
      source_id,
      entries,
    ]),
  )

export const saveScannedSource = (db: Db, source_id: string, entries: number) =>
  db
    .insertInto('blocklist_sources')
    .values({ source_id, entries })
    .onConflict((conflict) => conflict.column('source_id').doUpdateSet({ entries }))
    .execute()

/** Number of entries of each scanned hour of a source. */
export const scannedWindows = async (db: Db, sourceId: string): Promise<ReadonlyMap<number, number>> =>
  new Map(
    (
      await db.selectFrom('blocklist_windows').select(['start', 'entries']).where('source_id', '=', sourceId).execute()
    ).map(({ start, entries }) => [start, entries]),
  )

export const findWindow = (db: Db, sourceId: string, start: number) =>
  db
    .selectFrom('blocklist_windows')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('start', '=', start)
    .executeTakeFirst()

export const saveWindow = (db: Db, row: WindowTable) =>
  db
    .insertInto('blocklist_windows')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['source_id', 'start']).doUpdateSet({ entries: row.entries, sightings: row.sightings }),
    )
    .execute()
