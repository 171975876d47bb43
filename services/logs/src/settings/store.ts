import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type SettingTables = { log_settings: SettingTable }

/**
 * `value` is the setting's text: JSON for a list, and for a secret the output of `seal` (empty if cleared). `bound_to` is the origin of the server
 * that a secret is for; empty while no address is set.
 */
type SettingTable = { name: string; value: string; bound_to: string; changed_at: string }
export type SettingRow = SettingTable

export const settingsMigration: Migration = {
  number: 7,
  name: 'settings of the log service',
  up: async (db) => {
    await db.schema
      .createTable('log_settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('bound_to', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'text', (column) => column.notNull())
      .execute()
  },
}

export const listSettings = (db: Kysely<SettingTables>) => db.selectFrom('log_settings').selectAll().execute()

export const saveSetting = (db: Kysely<SettingTables>, row: SettingRow) =>
  db
    .insertInto('log_settings')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value: row.value, bound_to: row.bound_to, changed_at: row.changed_at }),
    )
    .execute()

export const deleteSetting = (db: Kysely<SettingTables>, name: string) =>
  db.deleteFrom('log_settings').where('name', '=', name).execute()
