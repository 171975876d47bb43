import { setImmediate } from 'node:timers/promises'
import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { isStorable } from '../entries/usable-id.ts'
import { type EntryOverlay, type OverlayChange, overlayFields, type Score } from './entry-overlay.ts'

/** Times are epoch milliseconds. A score, its label and its time are either all set or all null. */
type OverlayTable = {
  entry_id: string
  source_id: string
  anomaly_score: number | null
  anomaly_label: string | null
  anomaly_scored_at: number | null
  security_score: number | null
  security_label: string | null
  security_scored_at: number | null
  /** The latest of the times. The entry arrived before it. */
  changed_at: number
}
export type OverlayTables = { log_entry_overlays: OverlayTable }
type Db = Kysely<OverlayTables>

export const overlayMigration: Migration = {
  number: 5,
  name: 'what was found out about log entries',
  up: async (db) => {
    await db.schema
      .createTable('log_entry_overlays')
      .addColumn('entry_id', 'text', (column) => column.primaryKey())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('anomaly_score', 'double precision')
      .addColumn('anomaly_label', 'text')
      .addColumn('anomaly_scored_at', 'bigint')
      .addColumn('security_score', 'double precision')
      .addColumn('security_label', 'text')
      .addColumn('security_scored_at', 'bigint')
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('log_entry_overlays_by_source').on('log_entry_overlays').column('source_id').execute()
    await db.schema.createIndex('log_entry_overlays_by_time').on('log_entry_overlays').column('changed_at').execute()
  },
}

const columnsOfField = {
  anomaly: ['anomaly_score', 'anomaly_label', 'anomaly_scored_at'],
  security: ['security_score', 'security_label', 'security_scored_at'],
} as const

const columnsOf = ({ entryId, sourceId, anomaly, security }: OverlayChange): OverlayTable => ({
  entry_id: entryId,
  source_id: sourceId,
  anomaly_score: anomaly?.score ?? null,
  anomaly_label: anomaly?.label ?? null,
  anomaly_scored_at: anomaly?.scoredAt ?? null,
  security_score: security?.score ?? null,
  security_label: security?.label ?? null,
  security_scored_at: security?.scoredAt ?? null,
  changed_at: Math.max(anomaly?.scoredAt ?? 0, security?.scoredAt ?? 0),
})

type Field = (typeof overlayFields)[number]
const fieldsOf = (change: OverlayChange): Field[] => overlayFields.filter((field) => change[field] !== undefined)

/** Upserts changes that all name the same `fields`; other columns of an existing row stay unchanged. */
const upsert = (db: Db, changes: readonly OverlayChange[], fields: readonly Field[]) =>
  db
    .insertInto('log_entry_overlays')
    .values(changes.map(columnsOf))
    .onConflict((conflict) =>
      conflict.column('entry_id').doUpdateSet((row) => ({
        ...Object.fromEntries(
          fields.flatMap((field) => columnsOfField[field]).map((column) => [column, row.ref(`excluded.${column}`)]),
        ),
        changed_at: row
          .case()
          .when('excluded.changed_at', '>', row.ref('log_entry_overlays.changed_at'))
          .then(row.ref('excluded.changed_at'))
          .else(row.ref('log_entry_overlays.changed_at'))
          .end(),
      })),
    )
    .execute()

const overlaysOf = (db: Db, entryIds: readonly string[]) =>
  db
    .selectFrom('log_entry_overlays')
    .selectAll()
    .where('entry_id', 'in', [...entryIds])
    .execute()

const deleteOfSources = (db: Db, sourceIds: readonly string[]) =>
  db
    .deleteFrom('log_entry_overlays')
    .where('source_id', 'in', [...sourceIds])
    .executeTakeFirst()

const deleteChangedBefore = (db: Db, moment: number) =>
  db.deleteFrom('log_entry_overlays').where('changed_at', '<', moment).executeTakeFirst()

const scoreOf = (score: number | null, label: string | null, scoredAt: number | null): Score | null =>
  score === null ? null : { score, label: label ?? '', scoredAt: Number(scoredAt ?? 0) }

const fromTable = (row: OverlayTable): EntryOverlay => ({
  anomaly: scoreOf(row.anomaly_score, row.anomaly_label, row.anomaly_scored_at),
  security: scoreOf(row.security_score, row.security_label, row.security_scored_at),
})

/** Some databases reject statements with more parameters than this. */
const maxParameters = 500

/** Maximum rows of one insert. Each row has the columns of all fields, two ids and the time of the change. */
const maxRows = Math.floor(maxParameters / (Object.values(columnsOfField).flat().length + 3))
/** Maximum rows of one transaction. A scoring round writes thousands of rows; other users of the database wait for at most one transaction. */
const maxTransactionRows = maxRows * 4

const inPortions = <Item>(items: readonly Item[], max = maxParameters): Item[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, portion) => items.slice(portion * max, (portion + 1) * max))

/** Groups changes by the fields that they name; of each entry the last change counts. */
const byFields = (changes: readonly OverlayChange[]): { fields: Field[]; changes: OverlayChange[] }[] =>
  [...Map.groupBy(changes, (change) => fieldsOf(change).join()).values()].map((alike) => ({
    fields: alike[0] ? fieldsOf(alike[0]) : [],
    changes: [...new Map(alike.map((change) => [change.entryId, change])).values()],
  }))

/** Overlays by entry id, in the store of the service. */
export type Overlays = {
  /** Skips entries whose ids a database cannot store. After a failure some changes may be stored; repeating all of them is idempotent. */
  put: (changes: readonly OverlayChange[]) => Promise<void>
  /** The overlays of those entries that have one. */
  of: (entryIds: readonly string[]) => Promise<ReadonlyMap<string, EntryOverlay>>
  dropSources: (sourceIds: readonly string[]) => Promise<void>
  /** Deletes overlays that were changed before a moment (epoch milliseconds), for when no entry is left that had arrived by then. */
  dropBefore: (moment: number) => Promise<void>
}

export const createOverlays = (db: Db): Overlays => ({
  put: async (changes) => {
    const storable = changes.filter(({ entryId, sourceId }) => isStorable(entryId) && isStorable(sourceId))
    if (storable.length === 0) return
    for (const { fields, changes: alike } of byFields(storable))
      for (const together of inPortions(alike, maxTransactionRows)) {
        await transact(db, async (transaction) => {
          for (const rows of inPortions(together, maxRows)) await upsert(transaction, rows, fields)
        })
        await setImmediate()
      }
  },
  of: async (entryIds) => {
    const rows = await Promise.all(inPortions(entryIds.filter(isStorable)).map((portion) => overlaysOf(db, portion)))
    return new Map(rows.flat().map((row) => [row.entry_id, fromTable(row)]))
  },
  dropSources: async (sourceIds) => {
    for (const portion of inPortions(sourceIds.filter(isStorable))) await deleteOfSources(db, portion)
  },
  dropBefore: async (moment) => {
    await deleteChangedBefore(db, moment)
  },
})
