import { anonymous } from '@trellis/kit/rpc'
import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Selectable } from 'kysely'
import { deleteFinds } from '../found/store.ts'
import type { Db, Tables } from '../store/tables.ts'

export type SessionRow = Selectable<Tables['search_sessions']>

/** How long updates are retained after publication, and a session after its deadline, in milliseconds. */
export const sessionLifetime = 15 * 60_000

/**
 * Owner of the listings that a search finds. Visitors without a session share a user id but must not share what they find, so
 * each of their searches has its own owner: its finds are deleted with it, and no request can name them.
 */
export const storeOwner = ({ id, user_id }: Pick<SessionRow, 'id' | 'user_id'>): string =>
  user_id === anonymous.userId ? `${anonymous.userId}:${id}` : user_id

export type NewSession = {
  readonly id: string
  readonly userId: string
  /** Whose limit of searches it counts towards; default: the user's. */
  readonly countedFor?: string
  readonly deadlineAt: Date
  /** The search's job, as JSON text; null for a search that ends at once. */
  readonly jobJson: string | null
}

/** Deletes searches whose updates are no longer retained, after the finds of those without a user. */
const deleteExpired = async (db: Db, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - sessionLifetime).toISOString()
  const query = db.selectFrom('search_sessions').select(['id', 'user_id']).where('deadline_at', '<', before)
  for (const session of await query.where('user_id', '=', anonymous.userId).execute())
    await deleteFinds(db, storeOwner(session))
  await db.deleteFrom('search_sessions').where('deadline_at', '<', before).execute()
}

/** Registers a search, and deletes those that have expired. */
export const createSession = async (db: Db, session: NewSession, now: Date): Promise<void> => {
  await deleteExpired(db, now)
  await db
    .insertInto('search_sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      counted_for: session.countedFor ?? session.userId,
      created_at: now.toISOString(),
      deadline_at: session.deadlineAt.toISOString(),
      ended_at: null,
      order_json: session.jobJson,
    })
    .execute()
}

/** How many searches that count towards a limit wait or run: they have a job, have not ended, and are not past their deadline. */
export const countRunning = async (db: Db, countedFor: string, now: Date): Promise<number> => {
  const { running } = await db
    .selectFrom('search_sessions')
    .select(({ fn }) => fn.countAll().as('running'))
    .where('counted_for', '=', countedFor)
    .where('order_json', 'is not', null)
    .where('ended_at', 'is', null)
    .where('deadline_at', '>', now.toISOString())
    .executeTakeFirstOrThrow()
  return Number(running)
}

/** A user's search; undefined if it belongs to another user. */
export const findSession = (db: Db, userId: string, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('search_sessions').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()

/** A search to drive, of any user. */
export const findSearch = (db: Db, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('search_sessions').selectAll().where('id', '=', id).executeTakeFirst()

/** Requested searches that have not ended, oldest first. */
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

/** Why a search failed, for readers of its outcome. Replicas of older versions stored neither reason nor kind, and null without a time. */
export type SessionFailure = Pick<RunFailed, 'detail'> &
  Partial<Pick<RunFailed, 'reason' | 'kind'>> & { readonly retryAfterSeconds?: number | null | undefined }

export const recordFailure = async (db: Db, id: string, failure: SessionFailure): Promise<void> => {
  await db
    .updateTable('search_sessions')
    .set({ failure_json: JSON.stringify(failure) })
    .where('id', '=', id)
    .execute()
}

export const endSession = async (db: Db, id: string, now: Date): Promise<void> => {
  await db
    .updateTable('search_sessions')
    .set({ ended_at: now.toISOString() })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}
