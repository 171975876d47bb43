import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type SshTargetTables = { log_ssh_targets: SshTargetRow }

/** Times are ISO 8601. `last_ok` is 0 or 1, null before the first test. */
export type SshTargetRow = {
  id: string
  label: string
  host: string
  port: number
  user: string
  key_path: string
  last_tested: string | null
  last_ok: number | null
  last_error: string | null
  created_at: string
  updated_at: string
}
type Db = Kysely<SshTargetTables>

export const sshTargetMigration: Migration = {
  number: 13,
  name: 'targets of SSH',
  up: async (db) => {
    await db.schema
      .createTable('log_ssh_targets')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('port', 'integer', (column) => column.notNull())
      .addColumn('user', 'text', (column) => column.notNull())
      .addColumn('key_path', 'text', (column) => column.notNull())
      .addColumn('last_tested', 'text')
      .addColumn('last_ok', 'integer')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute()
  },
}

export const listTargets = (db: Db, max: number) =>
  db.selectFrom('log_ssh_targets').selectAll().orderBy('created_at', 'desc').orderBy('id').limit(max).execute()

export const countTargets = async (db: Db): Promise<number> => {
  const { count } = await db
    .selectFrom('log_ssh_targets')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export const findTarget = (db: Db, id: string) =>
  db.selectFrom('log_ssh_targets').selectAll().where('id', '=', id).executeTakeFirst()

export const insertTarget = (db: Db, row: SshTargetRow) => db.insertInto('log_ssh_targets').values(row).execute()

/** Returns the updated row; undefined for an unknown id. */
export const updateTarget = (db: Db, id: string, change: Partial<Omit<SshTargetRow, 'id' | 'created_at'>>) =>
  db.updateTable('log_ssh_targets').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/**
 * Stores the result of a test, unless the target's address has changed since it was tested; returns undefined then. It does not count as a
 * change of the target.
 */
export const saveTest = (
  db: Db,
  tested: Pick<SshTargetRow, 'id' | 'host' | 'port' | 'user' | 'key_path'>,
  result: Pick<SshTargetRow, 'last_tested' | 'last_ok' | 'last_error'>,
) =>
  db
    .updateTable('log_ssh_targets')
    .set(result)
    .where('id', '=', tested.id)
    .where('host', '=', tested.host)
    .where('port', '=', tested.port)
    .where('user', '=', tested.user)
    .where('key_path', '=', tested.key_path)
    .returningAll()
    .executeTakeFirst()

export const deleteTarget = (db: Db, id: string) =>
  db.deleteFrom('log_ssh_targets').where('id', '=', id).returning('id').executeTakeFirst()
