import type { Migration } from '@trellis/kit/store'
import type { Generated, Kysely, Selectable } from 'kysely'

/** Entries to be pushed, in the order in which they were matched. `body` is JSON as the receiver accepts it. */
export type OutboxTables = { log_outbox: { id: Generated<number>; entry_id: string; body: string } }

export type OutboxRow = Selectable<OutboxTables['log_outbox']>

type Db = Kysely<OutboxTables>

export const outboxMigration = (number: number): Migration => ({
  number,
  name: 'entries that are to be pushed',
  up: async (db) => {
    await db.schema
      .createTable('log_outbox')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('entry_id', 'text', (column) => column.notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute()
  },
})

/** Entries that are already in the outbox are not added again. */
export const addToOutbox = (db: Db, rows: readonly Omit<OutboxRow, 'id'>[]) =>
  db
    .insertInto('log_outbox')
    .values([...rows])
    .onConflict((conflict) => conflict.column('entry_id').doNothing())
    .execute()

export const firstOfOutbox = (db: Db, limit: number): Promise<OutboxRow[]> =>
  db.selectFrom('log_outbox').selectAll().orderBy('id').limit(limit).execute()

export const removeFromOutbox = (db: Db, ids: readonly number[]) =>
  db.deleteFrom('log_outbox').where('id', 'in', ids).execute()

/** An upper bound of the number of waiting entries, from the ids of the first and the last. */
export const outboxSize = async (db: Db): Promise<number> => {
  const { first, last } = await db
    .selectFrom('log_outbox')
    .select(({ fn }) => [fn.min('id').as('first'), fn.max('id').as('last')])
    .executeTakeFirstOrThrow()
  return last === null ? 0 : Number(last) - Number(first) + 1
}
