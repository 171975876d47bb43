import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { Checkpoint, Checkpoints } from './collector.ts'

/** `source` is the configured source's id; `state` is JSON that only its collector reads. */
export type CheckpointTables = {
  log_checkpoints: { source: string; key: string; state: string; updated_at: number }
}

type Db = Kysely<CheckpointTables>

/** Rows per query. */
const pageRows = 500
const removedAtOnce = 500

export const checkpointMigration: Migration = {
  number: 6,
  name: 'checkpoints of collected logs',
  up: async (db) => {
    await db.schema
      .createTable('log_checkpoints')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_checkpoints_key', ['source', 'key'])
      .execute()
  },
}

const findCheckpoint = (db: Db, source: string, key: string) =>
  db
    .selectFrom('log_checkpoints')
    .select('state')
    .where('source', '=', source)
    .where('key', '=', key)
    .executeTakeFirst()

const pageOfCheckpoints = (db: Db, source: string, after: string, prefix: string) =>
  db
    .selectFrom('log_checkpoints')
    .select(['key', 'state'])
    .where('source', '=', source)
    .where('key', '>', after)
    .where('key', '>=', prefix)
    .orderBy('key')
    .limit(pageRows)
    .execute()

const saveCheckpoint = (db: Db, row: CheckpointTables['log_checkpoints']) =>
  db
    .insertInto('log_checkpoints')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['source', 'key']).doUpdateSet({ state: row.state, updated_at: row.updated_at }),
    )
    .execute()

const deleteCheckpoints = (db: Db, source: string, keys: readonly string[]) =>
  db.deleteFrom('log_checkpoints').where('source', '=', source).where('key', 'in', keys).execute()

/** The checkpoints of one source. */
export const createCheckpoints = ({ db, source, now }: { db: Db; source: string; now: () => number }): Checkpoints => ({
  get: async (key) => (await findCheckpoint(db, source, key))?.state,
  async *list(prefix = ''): AsyncGenerator<Checkpoint> {
    for (let after = ''; ; ) {
      const page = await pageOfCheckpoints(db, source, after, prefix)
      for (const row of page) {
        if (!row.key.startsWith(prefix)) return
        yield row
      }
      const last = page.at(-1)
      if (!last || page.length < pageRows) return
      after = last.key
    }
  },
  put: async ({ key, state }) => {
    await saveCheckpoint(db, { source, key, state, updated_at: now() })
  },
  remove: async (keys) => {
    for (let start = 0; start < keys.length; start += removedAtOnce) {
      await deleteCheckpoints(db, source, keys.slice(start, start + removedAtOnce))
    }
  },
})
