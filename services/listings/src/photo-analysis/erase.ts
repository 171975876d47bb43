import { transact } from '@trellis/kit/store'
import { type Erase, identifies, type Person } from '../erasure/person.ts'
import { findListingById } from '../found/store.ts'
import { deletePhotoHashes } from '../photo-hashes/store.ts'
import { rescoreStored } from '../results/rescore-stored.ts'
import type { ScoringDependencies } from '../results/scored.ts'
import { photoTaskType } from './tasks.ts'

const hashesPerTransaction = 20

/** One page; undefined if no hash is left. In one transaction: a listing whose hash is deleted would not be found again to complete the rest. */
const erasePage = (dependencies: ScoringDependencies, person: Person): Promise<number | undefined> =>
  transact(dependencies.db, async (transaction: ScoringDependencies['db']) => {
    const rows = await transaction
      .selectFrom('photo_hashes')
      .innerJoin('listings', 'listings.id', 'photo_hashes.listing_id')
      .select('listings.id')
      .where('platform', '=', person.platform)
      .where(identifies('seller_platform_id', person))
      .limit(hashesPerTransaction)
      .execute()
    if (rows.length === 0) return undefined
    const ids = rows.map(({ id }) => id)
    const changed = await deletePhotoHashes(transaction, ids)
    for (const id of changed) {
      const listing = await findListingById(transaction, id)
      if (listing !== undefined) await rescoreStored({ ...dependencies, db: transaction }, listing)
    }
    return changed.length
  })

/**
 * Deletes the photo hashes of a seller's listings, and scores the listings of others again that looked the same: the evidence of their scores quotes
 * titles of the seller.
 */
export const erasePhotoMatches: Erase = async (dependencies, person) => {
  for (let rescored = 0; ; ) {
    const changed = await erasePage(dependencies, person)
    if (changed === undefined) return rescored
    rescored += changed
  }
}

/** Deletes the tasks for a seller's listings, which have their titles and photos. */
export const erasePhotoTasks: Erase = async ({ db }, person) => {
  const listings = db
    .selectFrom('listings')
    .select('id')
    .where('platform', '=', person.platform)
    .where(identifies('seller_platform_id', person))
  const { numDeletedRows } = await db
    .deleteFrom('background_tasks')
    .where('task_type', '=', photoTaskType)
    .where('job_id', 'in', listings)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
