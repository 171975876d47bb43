import type { StoredComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { type ListingRow, storeListings } from '../found/store.ts'
import type { SearchPlan } from '../query/plan.ts'
import type { FoundListings } from '../records.ts'
import { batchOf } from '../scoring/batch.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { type SellerRow, upsertSellers } from '../sellers/store.ts'
import { type SearchContext, scoreRows } from './scored.ts'
import type { UpdatePublisher } from './update-publisher.ts'

/** Stored results of a search so far: the returned listings, their sellers, and the context of their scores. */
export type Found = {
  readonly rows: readonly ListingRow[]
  readonly sellers: ReadonlyMap<string, SellerRow>
  readonly context: SearchContext
}

/**
 * Stores what a search found for a user and reads it back. The batch is computed over the returned listings. Throws
 * `unavailable` if the database stays locked.
 */
export const storeFound = async (
  dependencies: Dependencies,
  search: { readonly id: string; readonly userId: string },
  { terms, accepts }: SearchPlan,
  { listings: all, sellers, comp }: FoundListings & { readonly comp: StoredComp | undefined },
): Promise<Found> => {
  const { db } = dependencies
  const at = dependencies.now()
  const listings = all.filter(accepts)
  const context = { batch: batchOf(listings), comp, compQuery: terms.compQuery }
  if (listings.length === 0) return { rows: [], sellers: new Map(), context }
  const rows = await storeListings(db, search, listings, at)
  await upsertSellers(db, sellers, at)
  const ids = [...new Set(rows.map(({ seller_platform_id }) => seller_platform_id))].filter((id) => id !== '')
  return { rows, sellers: await sellersForUser(dependencies, search.userId, ids), context }
}

/** Rescores some of the listings and publishes the scores: for a late price, or a seller who became known. */
export const rescore = async (
  dependencies: Dependencies,
  rows: readonly ListingRow[],
  { sellers, context }: Found,
  publisher: UpdatePublisher,
): Promise<void> => {
  const scores = await scoreRows(dependencies, rows, sellers, context)
  for (const row of rows) {
    const score = scores.get(row.platform_listing_id)
    if (score !== undefined) await publisher.score(row, score, sellers.get(row.seller_platform_id), context.comp)
  }
}
