import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

/** The result of the last run over each source, and state of collecting that replicas share. */
export type CollectStateTables = {
  log_source_runs: { source: string; last_glean: string; last_error: string | null }
  /** `state` is JSON whose shape depends on `name`. */
  log_collect_state: { name: string; state: string }
}

type Db = Kysely<CollectStateTables>

export const collectStateMigration = (number: number): Migration => ({
  number,
  name: 'state of collecting logs',
  up: async (db) => {
    await db.schema
      .createTable('log_source_runs')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('last_glean', 'text', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .execute()
    await db.schema
      .createTable('log_collect_state')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .execute()
  },
})

export const saveSourceRun = (db: Db, row: CollectStateTables['log_source_runs']) =>
  db
    .insertInto('log_source_runs')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('source').doUpdateSet({ last_glean: row.last_glean, last_error: row.last_error }),
    )
    .execute()

export const listSourceRuns = (db: Db) => db.selectFrom('log_source_runs').selectAll().execute()

/** Undefined if the state was never saved. */
export const readCollectState = async (db: Db, name: string): Promise<unknown> => {
  const row = await db.selectFrom('log_collect_state').select('state').where('name', '=', name).executeTakeFirst()
  return row && JSON.parse(row.state)
}

export const saveCollectState = (db: Db, name: string, state: unknown) => {
  const row = { name, state: JSON.stringify(state) }
  return db
    .insertInto('log_collect_state')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ state: row.state }))
    .execute()
}
