import type { Selectable } from 'kysely'
import type { Db, Tables } from '../store/tables.ts'

export type SessionRow = Selectable<Tables['search_sessions']>

/** A search's updates can be followed, from the beginning, for this long after it began, in milliseconds. */
export const sessionLifetime = 15 * 60_000

/** Registers a search, and forgets those whose updates are no longer kept. */
export const createSession = async (
  db: Db,
  session: { readonly id: string; readonly userId: string; readonly deadlineAt: Date },
  now: Date,
): Promise<void> => {
  await db
    .deleteFrom('search_sessions')
    .where('created_at', '<', new Date(now.getTime() - sessionLifetime).toISOString())
    .execute()
  await db
    .insertInto('search_sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: now.toISOString(),
      deadline_at: session.deadlineAt.toISOString(),
      ended_at: null,
    })
    .execute()
}

/** A user's search; another user's is as unknown as none. */
export const findSession = (db: Db, userId: string, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('search_sessions').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()

export const endSession = async (db: Db, id: string, now: Date): Promise<void> => {
  await db
    .updateTable('search_sessions')
    .set({ ended_at: now.toISOString() })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}
