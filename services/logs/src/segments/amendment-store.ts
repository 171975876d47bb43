import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { stemOf } from '../search/filters.ts'
import type { AmendmentChange, Amendments, SeverityOverride, Tombstone } from './amendments.ts'

export type AmendmentTables = {
  log_burials: { source: string; place: number; buried_at: number }
  log_severity_overrides: {
    entry_key: string
    source_id: string
    effective_time: number
    severity: number
    place: number
    /** Epoch milliseconds; null until the override is folded into a segment. */
    folded_at: number | null
  }
  /** One row: all entries up to this position are in segments or deleted. */
  log_floor: { id: number; place: number }
}
/** A store or a transaction with these tables. */
type Db = Pick<Kysely<AmendmentTables>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>

export const amendmentMigration = (number: number): Migration => ({
  number,
  name: 'deleted log sources and severities put in place',
  up: async (db) => {
    await db.schema
      .createTable('log_burials')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('place', 'bigint', (column) => column.notNull())
      .addColumn('buried_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_burials_key', ['source', 'place'])
      .execute()
    await db.schema
      .createTable('log_severity_overrides')
      .addColumn('entry_key', 'text', (column) => column.primaryKey())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('effective_time', 'double precision', (column) => column.notNull())
      .addColumn('severity', 'integer', (column) => column.notNull())
      .addColumn('place', 'bigint', (column) => column.notNull())
      .addColumn('folded_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('log_severity_overrides_by_source')
      .on('log_severity_overrides')
      .column('source_id')
      .execute()
    await db.schema
      .createTable('log_floor')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('place', 'bigint', (column) => column.notNull())
      .execute()
    await db.insertInto('log_floor').values({ id: 1, place: 0 }).execute()
  },
})

const allTombstones = (db: Db) => db.selectFrom('log_burials').select(['source', 'place']).orderBy('place').execute()

const allOverrides = (db: Db) => db.selectFrom('log_severity_overrides').selectAll().orderBy('place').execute()

const insertTombstone = (db: Db, { source, position }: Tombstone, deletedAt: number) =>
  db
    .insertInto('log_burials')
    .values({ source, place: position, buried_at: deletedAt })
    .onConflict((conflict) => conflict.columns(['source', 'place']).doNothing())
    .execute()

/** Overrides of a source, of the files of an archive (`a/` up to `a0`, which is the next character), or of the units of a stem (`a:b:`). */
const deleteOverridesOf = (db: Db, source: string) =>
  db
    .deleteFrom('log_severity_overrides')
    .where((row) =>
      row.or([
        row('source_id', '=', source),
        row.and([row('source_id', '>=', `${source}/`), row('source_id', '<', `${source}0`)]),
        ...(stemOf(`${source}:unit`) === source
          ? [row.and([row('source_id', '>=', `${source}:`), row('source_id', '<', `${source};`)])]
          : []),
      ]),
    )
    .execute()

const upsertOverride = (db: Db, { key, sourceId, time, severity, position }: SeverityOverride) =>
  db
    .insertInto('log_severity_overrides')
    .values({ entry_key: key, source_id: sourceId, effective_time: time, severity, place: position, folded_at: null })
    .onConflict((conflict) => conflict.column('entry_key').doUpdateSet({ severity, place: position, folded_at: null }))
    .execute()

type Folded = Pick<SeverityOverride, 'key' | 'position'>

export const deleteFolded = (db: Db, { key, position }: Folded) =>
  db.deleteFrom('log_severity_overrides').where('entry_key', '=', key).where('place', '<=', position).execute()

/** Replicas that have not seen the segment with the folded override still need the row; for the others it is redundant. */
export const markFolded = (db: Db, { key, position }: Folded, foldedAt: number) =>
  db
    .updateTable('log_severity_overrides')
    .set({ folded_at: foldedAt })
    .where('entry_key', '=', key)
    .where('place', '<=', position)
    .execute()

export const hasFolded = async (db: Db, before: number): Promise<boolean> =>
  (await db
    .selectFrom('log_severity_overrides')
    .select('entry_key')
    .where('folded_at', '<', before)
    .limit(1)
    .executeTakeFirst()) !== undefined

export const deleteFoldedBefore = (db: Db, before: number) =>
  db.deleteFrom('log_severity_overrides').where('folded_at', '<', before).execute()

/** Whether a severity of an entry between two times was overridden after a position. */
export const hasOverridden = async (db: Db, position: number, firstTime: number, lastTime: number): Promise<boolean> =>
  (await db
    .selectFrom('log_severity_overrides')
    .select('entry_key')
    .where('place', '>', position)
    .where('effective_time', '>=', firstTime)
    .where('effective_time', '<=', lastTime)
    .limit(1)
    .executeTakeFirst()) !== undefined

const deleteTombstone = (db: Db, { source, position }: Tombstone) =>
  db.deleteFrom('log_burials').where('source', '=', source).where('place', '=', position).execute()

export const raiseFloor = (db: Db, position: number) =>
  db.updateTable('log_floor').set({ place: position }).where('id', '=', 1).where('place', '<', position).execute()

export const readFloor = async (db: Db): Promise<number> =>
  Number((await db.selectFrom('log_floor').select('place').where('id', '=', 1).executeTakeFirst())?.place ?? 0)

export const countOverrides = async (db: Db): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('log_severity_overrides')
        .select((row) => row.fn.countAll().as('count'))
        .where('folded_at', 'is', null)
        .executeTakeFirstOrThrow()
    ).count,
  )

export const expireTombstone = (db: Db, { source, position }: Tombstone, before: number) =>
  db
    .deleteFrom('log_burials')
    .where('source', '=', source)
    .where('place', '=', position)
    .where('buried_at', '<', before)
    .execute()

/** The sources that were deleted after a position. */
export const deletedSourcesAfter = (db: Db, position: number) =>
  db.selectFrom('log_burials').select('source').where('place', '>', position).execute()

export const readAmendments = async (db: Db): Promise<Amendments> => ({
  tombstones: (await allTombstones(db)).map(({ source, place }) => ({ source, position: Number(place) })),
  overrides: (await allOverrides(db)).map((row) => ({
    key: row.entry_key,
    sourceId: row.source_id,
    time: row.effective_time,
    severity: row.severity,
    position: Number(row.place),
  })),
})

/** Must run in a transaction. */
export const writeAmendments = async (db: Db, change: AmendmentChange, now: number): Promise<void> => {
  const { tombstone, override, folded = [], settled = [] } = change
  if (tombstone) {
    await insertTombstone(db, tombstone, now)
    await deleteOverridesOf(db, tombstone.source)
  }
  if (override) await upsertOverride(db, override)
  for (const one of folded) await deleteFolded(db, one)
  for (const one of settled) await deleteTombstone(db, one)
}
