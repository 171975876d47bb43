import type { Db } from '../store/tables.ts'
import type { ListingRow } from './store.ts'

/** Maximum stored sightings of one listing. */
const maxSightings = 100

/** The search that saw listings, and when (ISO 8601). */
export type Sighting = { readonly id: string; readonly seenAt: string }

/** Deletes the oldest sightings of a listing beyond the limit. */
const trimSightings = async (db: Db, listingId: number): Promise<void> => {
  const newest = db
    .selectFrom('listing_sightings')
    .select('id')
    .where('listing_id', '=', listingId)
    .orderBy('id', 'desc')
    .limit(maxSightings)
  await db.deleteFrom('listing_sightings').where('listing_id', '=', listingId).where('id', 'not in', newest).execute()
}

/** Counts listings as seen by a search and returns the updated rows. Idempotent: a resumed search counts no listing twice. */
export const recordSightings = async (db: Db, rows: readonly ListingRow[], search: Sighting): Promise<ListingRow[]> => {
  const added = await db
    .insertInto('listing_sightings')
    .values(rows.map(({ id }) => ({ listing_id: id, seen_at: search.seenAt, search_id: search.id })))
    .onConflict((conflict) => conflict.columns(['listing_id', 'search_id']).doNothing())
    .returning('listing_id')
    .execute()
  if (added.length === 0) return [...rows]
  const ids = added.map(({ listing_id }) => listing_id)
  const counted = await db
    .updateTable('listings')
    .set((eb) => ({ times_seen: eb('times_seen', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  for (const { id, times_seen } of counted) if (times_seen > maxSightings) await trimSightings(db, id)
  const byId = new Map(counted.map((row) => [row.id, row]))
  return rows.map((row) => byId.get(row.id) ?? row)
}

/** Times a listing was seen, oldest first. */
export const sightingsOf = async (db: Db, listingId: number): Promise<readonly string[]> =>
  (
    await db
      .selectFrom('listing_sightings')
      .select('seen_at')
      .where('listing_id', '=', listingId)
      .orderBy('id')
      .execute()
  ).map(({ seen_at }) => seen_at)
