import { sql } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { snapshotLifetime } from '../comps/history.ts'
import type { ListingsTables } from '../schemas.ts'
import { allGuests } from '../session/guests.ts'

type Db = Kysely<ListingsTables>

const day = 86_400_000
const daysBefore = (now: Date, days: number): string => new Date(now.getTime() - days * day).toISOString()

/** Rows of guests besides their listings: the table, its owner, and when the row was last written. */
const guestRows = [
  ['preferences', 'user_id', 'updated_at'],
  ['reported_sellers', 'user_id', 'reported_at'],
  ['blocklist', 'owner', 'created_at'],
  ['alert_settings', 'user_id', 'updated_at'],
] as const satisfies readonly (readonly [keyof ListingsTables, string, string])[]

/** Deletes the rows of guests that are older than a number of days. */
export const deleteGuestRows = async (db: Db, days: number, now: Date): Promise<void> => {
  const before = daysBefore(now, days)
  for (const [table, owner, time] of guestRows)
    await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(owner)} LIKE ${allGuests} AND ${sql.ref(time)} < ${before}`.execute(
      db,
    )
}

/** How long a task is retained after it has ended, in days. */
const taskDays = 30

/** Deletes tasks that ended long ago: their results are stored with the listings. */
export const deleteEndedTasks = async (db: Db, now: Date): Promise<void> => {
  await db
    .deleteFrom('background_tasks')
    .where('status', 'in', ['completed', 'failed'])
    .where('updated_at', '<', daysBefore(now, taskDays))
    .execute()
}

/** Deletes market prices a day after they have expired, and daily ones that are older than any history shows. */
export const deleteExpiredComps = async (db: Db, now: Date): Promise<void> => {
  await db.deleteFrom('comps').where('expires_at', '<', daysBefore(now, 1)).execute()
  await db.deleteFrom('comp_snapshots').where('taken_on', '<', daysBefore(now, snapshotLifetime).slice(0, 10)).execute()
}

/** Days after which a seller without stored listings is deleted, and how many one round deletes. */
const sellerDays = 30
const sellersPerRound = 5_000

/** Deletes sellers without stored listings. */
export const deleteSellersWithoutListings = async (db: Db, now: Date): Promise<void> => {
  const unused = db
    .selectFrom('sellers')
    .select('id')
    .where('fetched_at', '<', daysBefore(now, sellerDays))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('listings')
            .select('listings.id')
            .whereRef('listings.seller_platform_id', '=', 'sellers.platform_seller_id')
            .whereRef('listings.platform', '=', 'sellers.platform'),
        ),
      ),
    )
    .limit(sellersPerRound)
  await db.deleteFrom('sellers').where('id', 'in', unused).execute()
}

/** Maximum price changes that are stored of one listing, and listings that one round trims. */
export const maxPriceChanges = 1_000
const trimmedPerRound = 500

/** Deletes the oldest price changes of listings beyond the maximum. */
export const trimPriceChanges = async (db: Db, max = maxPriceChanges): Promise<void> => {
  const long = await db
    .selectFrom('listing_prices')
    .select('listing_id')
    .groupBy('listing_id')
    .having(({ fn }) => fn.countAll(), '>', max)
    .limit(trimmedPerRound)
    .execute()
  for (const { listing_id } of long) {
    const newest = db
      .selectFrom('listing_prices')
      .select('id')
      .where('listing_id', '=', listing_id)
      .orderBy('id', 'desc')
      .limit(max)
    await db.deleteFrom('listing_prices').where('listing_id', '=', listing_id).where('id', 'not in', newest).execute()
  }
}
