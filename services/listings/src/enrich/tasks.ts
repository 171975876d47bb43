import type { ListingRow } from '../found/store.ts'
import type { SellerTask } from '../search/worker/messages.ts'
import type { SellerRow } from '../sellers/store.ts'

/** Sellers looked up after one search, for each of the two questions. */
export const lookupsPerSearch = 3

/** A feedback count of 0 may be a seller's first day, or a page that did not tell. */
export const lacksFacts = (seller: SellerRow): boolean =>
  seller.account_opened_on === null || (seller.feedback_count ?? 0) === 0
export const lacksCategories = (seller: SellerRow): boolean =>
  seller.category_history_json === null || seller.category_history_json === '{}'

/** The id under which a listing has a page: the API wraps it in a longer one. */
export const pageIdOf = (platformListingId: string): string =>
  /^v\d\|(\d+)\|/.exec(platformListingId)?.[1] ?? platformListingId

/** What to look up after a search: in the order of the results, the first sellers that lack facts, and the first that lack categories. */
export const chooseTasks = (
  rows: readonly ListingRow[],
  sellers: ReadonlyMap<string, SellerRow>,
): readonly SellerTask[] => {
  const tasks = new Map<string, SellerTask>()
  const left = { facts: lookupsPerSearch, categories: lookupsPerSearch }
  for (const row of rows) {
    const seller = sellers.get(row.seller_platform_id)
    if (seller === undefined || tasks.has(seller.platform_seller_id)) continue
    const wantsFacts = left.facts > 0 && lacksFacts(seller)
    const wantsCategories = left.categories > 0 && lacksCategories(seller)
    if (!wantsFacts && !wantsCategories) continue
    if (wantsFacts) left.facts -= 1
    if (wantsCategories) left.categories -= 1
    tasks.set(seller.platform_seller_id, {
      sellerId: seller.platform_seller_id,
      listingId: pageIdOf(row.platform_listing_id),
      wantsFacts,
      wantsCategories,
    })
  }
  return [...tasks.values()]
}
