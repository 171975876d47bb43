import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { FieldCount } from '../marketplace/page-fields.ts'
import { type FieldRates, isDrifting, updatedRates } from './baseline.ts'

export type PageFieldTables = {
  /** How often each field of a kind of page is found. */
  page_fields: {
    platform: string
    page: string
    field: string
    recent: number
    baseline: number
    pages: number
    read_at: string
  }
}
type Db = Kysely<PageFieldTables>

export const pageFieldsMigration = (number: number): Migration => ({
  number,
  name: 'how often each field of a page is found',
  up: async (db) => {
    await db.schema
      .createTable('page_fields')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('page', 'text', (column) => column.notNull())
      .addColumn('field', 'text', (column) => column.notNull())
      .addColumn('recent', 'double precision', (column) => column.notNull())
      .addColumn('baseline', 'double precision', (column) => column.notNull())
      .addColumn('pages', 'integer', (column) => column.notNull())
      .addColumn('read_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('page_fields_by_name', ['platform', 'page', 'field'])
      .execute()
  },
})

/** The rates of one field. */
export type PageField = FieldRates & { readonly page: string; readonly field: string; readonly isDrifting: boolean }

const toField = ({
  page,
  field,
  recent,
  baseline,
  pages,
}: Omit<PageFieldTables['page_fields'], 'read_at' | 'platform'>) => ({
  page,
  field,
  recent,
  baseline,
  pages,
  isDrifting: isDrifting({ recent, baseline, pages }),
})

/** The rates of all fields of a platform's pages. */
export const findPageFields = async (db: Db, platform: string): Promise<readonly PageField[]> =>
  (
    await db
      .selectFrom('page_fields')
      .selectAll()
      .where('platform', '=', platform)
      .orderBy('page')
      .orderBy('field')
      .execute()
  ).map(toField)

/** Adds what a run has read to the rates, and returns them. */
export const recordPageFields = (
  db: Db,
  platform: string,
  counts: readonly FieldCount[],
  now: Date,
): Promise<readonly PageField[]> =>
  transact(db, async (transaction) => {
    const known = new Map((await findPageFields(transaction, platform)).map((row) => [`${row.page} ${row.field}`, row]))
    for (const count of counts) {
      const { page, field } = count
      const rates = updatedRates(known.get(`${page} ${field}`), count)
      const values = { ...rates, read_at: now.toISOString() }
      await transaction
        .insertInto('page_fields')
        .values({ platform, page, field, ...values })
        .onConflict((conflict) => conflict.columns(['platform', 'page', 'field']).doUpdateSet(values))
        .execute()
    }
    return findPageFields(transaction, platform)
  })
