import { type Migration, transact } from '@trellis/kit/store'
import type { Generated, Kysely, Selectable } from 'kysely'

export type CorrectionTables = {
  /** Shared by all users. `context_json` is a JSON object; `opted_in` is 0 or 1. */
  corrections: {
    id: Generated<number>
    user_id: string
    /** Whether the user is a guest, 0 or 1: guests have a common limit. */
    by_guest: number
    item_id: string
    product: string
    correction_type: string
    input_text: string
    original_output: string
    corrected_output: string
    rating: 'up' | 'down'
    context_json: string
    opted_in: number
    created_at: string
  }
}

export const correctionMigration = (number: number): Migration => ({
  number,
  name: 'corrections',
  up: async (db) => {
    await db.schema
      .createTable('corrections')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('by_guest', 'integer', (column) => column.notNull())
      .addColumn('item_id', 'text', (column) => column.notNull())
      .addColumn('product', 'text', (column) => column.notNull())
      .addColumn('correction_type', 'text', (column) => column.notNull())
      .addColumn('input_text', 'text', (column) => column.notNull())
      .addColumn('original_output', 'text', (column) => column.notNull())
      .addColumn('corrected_output', 'text', (column) => column.notNull())
      .addColumn('rating', 'text', (column) => column.notNull())
      .addColumn('context_json', 'text', (column) => column.notNull())
      .addColumn('opted_in', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
    const index = (name: string) => db.schema.createIndex(name).on('corrections')
    await index('corrections_by_user').columns(['user_id', 'id']).execute()
    await index('corrections_by_guest').columns(['by_guest', 'id']).execute()
    await index('corrections_by_consent').columns(['opted_in', 'id']).execute()
  },
})

export type Db = Kysely<CorrectionTables>
export type CorrectionRow = Selectable<CorrectionTables['corrections']>
export type NewCorrection = Omit<CorrectionRow, 'id'>

/** Maximum corrections of a user, and of all guests together; beyond it the oldest are deleted. */
const limits = { user: 10_000, guests: 10_000 }

/** Deletes the oldest corrections of a user, or of all guests, beyond a limit. */
const trim = async (db: Db, column: 'user_id' | 'by_guest', value: string | number, limit: number): Promise<void> => {
  const oldest = await db
    .selectFrom('corrections')
    .select('id')
    .where(column, '=', value)
    .orderBy('id', 'desc')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await db.deleteFrom('corrections').where(column, '=', value).where('id', '<=', oldest.id).execute()
}

/** Stores a correction and returns its id. */
export const insertCorrection = (db: Db, row: NewCorrection, { user, guests } = limits): Promise<number> =>
  transact(db, async (transaction) => {
    const { id } = await transaction.insertInto('corrections').values(row).returning('id').executeTakeFirstOrThrow()
    await trim(transaction, 'user_id', row.user_id, user)
    if (row.by_guest === 1) await trim(transaction, 'by_guest', 1, guests)
    return id
  })

type Page = { readonly optedInOnly: boolean; readonly limit: number }

const chosen = (db: Db, { optedInOnly, limit }: Page) => {
  const query = db.selectFrom('corrections').selectAll().limit(limit)
  return optedInOnly ? query.where('opted_in', '=', 1) : query
}

/** Corrections of all users, newest first, older than one of them. */
export const listCorrections = (db: Db, page: Page & { readonly before: number | undefined }) => {
  const query = chosen(db, page).orderBy('id', 'desc')
  return (page.before === undefined ? query : query.where('id', '<', page.before)).execute()
}

/** Corrections of all users, oldest first, newer than the id. */
export const correctionsAfter = (db: Db, id: number, page: Page) =>
  chosen(db, page).where('id', '>', id).orderBy('id').execute()
