import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

export type HostKeyTables = { log_ssh_host_keys: HostKeyRow }

/** `key_type` as in `ssh-ed25519`, `fingerprint` as in `SHA256:...`; `first_seen_at` in epoch milliseconds. */
export type HostKeyRow = { host: string; port: number; key_type: string; fingerprint: string; first_seen_at: number }
type Address = Pick<HostKeyRow, 'host' | 'port'>
type Db = Kysely<HostKeyTables>

export const hostKeyMigration: Migration = {
  number: 12,
  name: 'keys of hosts that are reached by SSH',
  up: async (db) => {
    await db.schema
      .createTable('log_ssh_host_keys')
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('port', 'integer', (column) => column.notNull())
      .addColumn('key_type', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('first_seen_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_ssh_host_keys_address', ['host', 'port'])
      .execute()
  },
}

export const pinnedHostKey = (db: Db, { host, port }: Address) =>
  db.selectFrom('log_ssh_host_keys').selectAll().where('host', '=', host).where('port', '=', port).executeTakeFirst()

/** Stores the first key of a host, and returns the stored one. */
export const pinHostKey = async (db: Db, row: HostKeyRow): Promise<HostKeyRow> => {
  await db
    .insertInto('log_ssh_host_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['host', 'port']).doNothing())
    .execute()
  return (await pinnedHostKey(db, row)) ?? row
}

export const replaceHostKey = (db: Db, row: HostKeyRow) =>
  db
    .updateTable('log_ssh_host_keys')
    .set({ key_type: row.key_type, fingerprint: row.fingerprint, first_seen_at: row.first_seen_at })
    .where('host', '=', row.host)
    .where('port', '=', row.port)
    .execute()
