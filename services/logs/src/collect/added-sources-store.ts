import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

/** A single row: the sources that were added through the API, in the format of a sources file. Only for replicas that share the store. */
export type AddedSourcesTables = { log_added_sources: { id: number; document: string } }

type Db = Kysely<AddedSourcesTables>

const onlyRow = 1

export const addedSourcesMigration = (number: number): Migration => ({
  number,
  name: 'sources that were added through the API',
  up: async (db) => {
    await db.schema
      .createTable('log_added_sources')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('document', 'text', (column) => column.notNull())
      .execute()
  },
})

/** Empty if no sources were added. */
export const readAddedSources = async (db: Db): Promise<string> =>
  (await db.selectFrom('log_added_sources').select('document').where('id', '=', onlyRow).executeTakeFirst())
    ?.document ?? ''

export const saveAddedSources = (db: Db, document: string) =>
  db
    .insertInto('log_added_sources')
    .values({ id: onlyRow, document })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ document }))
    .execute()
