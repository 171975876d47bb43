import { transact } from '@trellis/kit/store'
import { type Erase, identifies, type Person } from '../erasure/person.ts'
import type { Db } from '../store/tables.ts'
import { listingTables } from './listing-tables.ts'

const listingsPerTransaction = 200

const erasePage = (db: Db, person: Person): Promise<number> =>
  transact(db, async (transaction) => {
    const rows = await transaction
      .selectFrom('listings')
      .select('id')
      .where('platform', '=', person.platform)
      .where(identifies('seller_platform_id', person))
      .limit(listingsPerTransaction)
      .execute()
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    for (const table of listingTables) await transaction.deleteFrom(table).where('listing_id', 'in', ids).execute()
    await transaction.deleteFrom('listings').where('id', 'in', ids).execute()
    return ids.length
  })

/** Deletes a seller's listings of all users, with their prices, sightings and scores. */
export const eraseListings: Erase = async ({ db }, person) => {
  for (let erased = 0; ; ) {
    const count = await erasePage(db, person)
    erased += count
    if (count < listingsPerTransaction) return erased
  }
}
