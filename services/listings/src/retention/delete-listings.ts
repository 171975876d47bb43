import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { listingTables } from '../found/listing-tables.ts'
import { photoTaskType, type TaskTables } from '../photo-analysis/tasks.ts'
import { allGuests } from '../session/guests.ts'
import type { Tables } from '../store/tables.ts'

export type ListingsDb = Kysely<Tables & TaskTables>

/** Listings that one transaction deletes, so that searches wait for none of them long. */
const perTransaction = 200

/** Chooses a page of listings; it is repeated until it chooses none. */
type ChooseListings = (db: ListingsDb, limit: number) => Promise<readonly number[]>

const deletePage = (db: ListingsDb, choose: ChooseListings): Promise<number> =>
  transact(db, async (transaction) => {
    const ids = await choose(transaction, perTransaction)
    if (ids.length === 0) return 0
    for (const table of listingTables) await transaction.deleteFrom(table).where('listing_id', 'in', ids).execute()
    await transaction
      .deleteFrom('background_tasks')
      .where('task_type', '=', photoTaskType)
      .where('job_id', 'in', ids)
      .execute()
    await transaction.deleteFrom('listings').where('id', 'in', ids).execute()
    return ids.length
  })

/**
 * Deletes the chosen listings, with their prices, sightings, scores, photo hashes and photo tasks; returns their number. A listing that a search finds at
 * the same moment is either found before, and not chosen any more, or stored again as a new one.
 */
export const deleteListings = async (db: ListingsDb, choose: ChooseListings, signal: AbortSignal): Promise<number> => {
  for (let deleted = 0; ; ) {
    signal.throwIfAborted()
    const count = await deletePage(db, choose)
    deleted += count
    if (count < perTransaction) return deleted
  }
}

/** Chooses listings that no search of their user has found since a time; of guests only, if requested. */
export const unseenSince =
  (before: Date, { ofGuests }: { readonly ofGuests: boolean }): ChooseListings =>
  async (db, limit) => {
    const query = db
      .selectFrom('listings')
      .select('id')
      .where('last_seen_at', '<', before.toISOString())
      .orderBy('last_seen_at')
      .limit(limit)
    const rows = await (ofGuests ? query.where('user_id', 'like', allGuests) : query).execute()
    return rows.map(({ id }) => id)
  }

/** Chooses a user's listings beyond a number, those first that were not found for longest. */
export const surplusOf =
  (userId: string, max: number): ChooseListings =>
  async (db, limit) => {
    const rows = await db
      .selectFrom('listings')
      .select('id')
      .where('user_id', '=', userId)
      .orderBy('last_seen_at', 'desc')
      .orderBy('id', 'desc')
      .offset(max)
      .limit(limit)
      .execute()
    return rows.map(({ id }) => id)
  }

/** Users with more than `max` listings. */
export const usersBeyond = async (db: ListingsDb, max: number): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('listings')
    .select('user_id')
    .groupBy('user_id')
    .having(({ fn }) => fn.countAll(), '>', max)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
