import type { Selectable } from 'kysely'
import type { Db, Tables } from '../store/tables.ts'

export type SessionRow = Selectable<Tables['search_sessions']>

/** A search's updates can be followed for this long after they were told, in milliseconds; and it is known as long after its deadline. */
export const sessionLifetime = 15 * 60_000

export type NewSession = {
  readonly id: string
  readonly userId: string
  readonly deadlineAt: Date
  /** What drives the search, as JSON text; null for a search that ends where it begins. */
  readonly orderJson: string | null
}

/** Registers a search, and forgets those whose updates are no longer kept. */
export const createSession = async (db: Db, session: NewSession, now: Date): Promise<void> => {
  await db
    .deleteFrom('search_sessions')
    .where('deadline_at', '<', new Date(now.getTime() - sessionLifetime).toISOString())
    .execute()
  await db
    .insertInto('search_sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: now.toISOString(),
      deadline_at: session.deadlineAt.toISOString(),
      ended_at: null,
      order_json: session.orderJson,
    })
    .execute()
}

/** A user's search; another user's is as unknown as none. */
export const findSession = (db: Db, userId: string, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('search_sessions').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()

/** A search to be driven, whoever's it is. */
export const findSearch = (db: Db, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('search_sessions').selectAll().where('id', '=', id).executeTakeFirst()

/** Searches that were asked for and have not ended, oldest first. */
export const unendedSearches = async (db: Db): Promise<readonly string[]> =>
  (
    await db
      .selectFrom('search_sessions')
      .select('id')
      .where('ended_at', 'is', null)
      .where('order_json', 'is not', null)
      .orderBy('created_at')
      .execute()
  ).map(({ id }) => id)

export const deleteSession = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('search_sessions').where('id', '=', id).execute()
}

export const endSession = async (db: Db, id: string, now: Date): Promise<void> => {
  await db
    .updateTable('search_sessions')
    .set({ ended_at: now.toISOString() })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}
