import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import {
  type AmendmentTables,
  amendmentMigration,
  raiseFloor,
  readAmendments,
  readFloor,
  writeAmendments,
} from './amendment-store.ts'
import type { Catalogue, SegmentRow } from './catalogue.ts'

export type CatalogueTables = AmendmentTables & { log_segments: SegmentTable }

type SegmentTable = {
  key: string
  bytes: number
  documents: number
  text_bytes: number
  words: number
  first_time: number
  last_time: number
  log_position: number
}

export const catalogueMigration: Migration = {
  number: 1,
  name: 'catalogue of log segments',
  up: async (db) => {
    await db.schema
      .createTable('log_segments')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('documents', 'integer', (column) => column.notNull())
      .addColumn('text_bytes', 'bigint', (column) => column.notNull())
      .addColumn('words', 'bigint', (column) => column.notNull())
      .addColumn('first_time', 'double precision', (column) => column.notNull())
      .addColumn('last_time', 'double precision', (column) => column.notNull())
      .addColumn('log_position', 'bigint', (column) => column.notNull())
      .execute()
  },
}

const listSegments = (db: Kysely<CatalogueTables>) =>
  db.selectFrom('log_segments').selectAll().orderBy('log_position').orderBy('key').execute()

const insertSegments = (db: Kysely<CatalogueTables>, rows: SegmentTable[]) =>
  db.insertInto('log_segments').values(rows).execute()

const deleteSegments = (db: Kysely<CatalogueTables>, keys: string[]) =>
  db.deleteFrom('log_segments').where('key', 'in', keys).execute()

const toTable = (row: SegmentRow): SegmentTable => ({
  key: row.key,
  bytes: row.bytes,
  documents: row.documents,
  text_bytes: row.textBytes,
  words: row.words,
  first_time: row.firstTime,
  last_time: row.lastTime,
  log_position: row.logPosition,
})

const fromTable = (row: SegmentTable): SegmentRow => ({
  key: row.key,
  bytes: row.bytes,
  documents: row.documents,
  textBytes: row.text_bytes,
  words: row.words,
  firstTime: row.first_time,
  lastTime: row.last_time,
  logPosition: row.log_position,
})

/** The schema of a store with nothing else. */
export const catalogueMigrations: readonly Migration[] = [catalogueMigration, amendmentMigration(2)]

/** The catalogue as rows of a store. */
export const createCatalogue = (db: Kysely<CatalogueTables>, now: () => number = Date.now): Catalogue => {
  const list = async () => (await listSegments(db)).map(fromTable)
  return {
    list,
    read: async () => {
      const segments = await list()
      const last = segments.reduce((max, row) => Math.max(max, row.logPosition), await readFloor(db))
      return { segments, amendments: await readAmendments(db), logPosition: last }
    },
    change: async ({ add = [], remove = [], amend }) => {
      await transact(db, async (transaction) => {
        if (remove.length > 0) await deleteSegments(transaction, remove)
        if (add.length > 0) {
          await insertSegments(transaction, add.map(toTable))
          // A segment's row may be deleted later, while the position of the log must stay known.
          await raiseFloor(transaction, Math.max(...add.map((row) => row.logPosition)))
        }
        if (amend) await writeAmendments(transaction, amend, now())
      })
    },
  }
}
