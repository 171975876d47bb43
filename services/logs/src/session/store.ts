import type { Session } from '@trellis/kit/credentials'
import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'

/** Sessions that were ended before they expired. `expires_at` is epoch seconds. */
export type SessionTables = { ended_sessions: { id: string; expires_at: number } }

type Db = Pick<Kysely<SessionTables>, 'selectFrom' | 'insertInto' | 'deleteFrom'>

export const sessionMigration = (number: number): Migration => ({
  number,
  name: 'sessions that were ended',
  up: async (db) => {
    await db.schema
      .createTable('ended_sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
})

/** Ends a session for all replicas. Rows of expired sessions are deleted, so there are no more of them than sessions of the last hours. Idempotent. */
export const endSession = async (db: Db, { id, expiresAt }: Session, now: number): Promise<void> => {
  await db
    .deleteFrom('ended_sessions')
    .where('expires_at', '<', Math.floor(now / 1_000))
    .execute()
  await db
    .insertInto('ended_sessions')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const isSessionEnded = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('ended_sessions').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
