import type { ListingRow } from '../found/store.ts'
import { historyOf, type SellerRow } from '../sellers/store.ts'
import type { SellerTask } from '../worker/messages.ts'

/** Maximum sellers looked up after one search, for facts and for categories each. */
export const lookupsPerSearch = 3

const day = 86_400_000
/** How long data about a seller stays fresh, in milliseconds: a join date does not change, but what a seller lists does. */
const lifetime = { account: 30 * day, history: 7 * day } as const

const isOlder = (readAt: string | null, age: number, now: Date): boolean =>
  readAt === null || now.getTime() - Date.parse(readAt) > age

/**
 * Whether facts are missing. A feedback count of 0 may be a seller's first day, or a page without a count. A join date
 * without a source listing was stored before pages were checked for their seller, and is read again.
 */
const lacksFacts = (seller: SellerRow): boolean =>
  seller.account_opened_on === null || seller.account_listing_id === null || (seller.feedback_count ?? 0) === 0
const lacksCategories = (seller: SellerRow): boolean =>
  seller.history_source !== 'marketplace' || historyOf(seller) === null

/** What to look up about a seller: missing data, and data that was read too long ago. */
export const questionsOf = (seller: SellerRow, now: Date) => ({
  missing: { facts: lacksFacts(seller), categories: lacksCategories(seller) },
  stale: {
    facts: isOlder(seller.account_read_at, lifetime.account, now),
    categories: isOlder(seller.history_read_at, lifetime.history, now),
  },
})

/** The id in the URL of a listing's page, which the API wraps in a longer id. */
export const pageIdOf = (platformListingId: string): string =>
  /^v\d\|(\d+)\|/.exec(platformListingId)?.[1] ?? platformListingId

/**
 * Chooses what to look up after a search: in the order of the results, the first sellers that lack facts and the first that
 * lack categories. If fewer than the limit lack either, sellers with stale data follow.
 */
export const chooseTasks = (
  rows: readonly ListingRow[],
  sellers: ReadonlyMap<string, SellerRow>,
  now: Date,
): readonly SellerTask[] => {
  const tasks = new Map<string, SellerTask>()
  const left = { facts: lookupsPerSearch, categories: lookupsPerSearch }
  for (const reason of ['missing', 'stale'] as const) {
    for (const row of rows) {
      const seller = sellers.get(row.seller_platform_id)
      if (seller === undefined) continue
      const { facts, categories } = questionsOf(seller, now)[reason]
      const known = tasks.get(seller.platform_seller_id)
      const addsFacts = facts && !known?.wantsFacts && left.facts > 0
      const addsCategories = categories && !known?.wantsCategories && left.categories > 0
      if (!addsFacts && !addsCategories) continue
      if (addsFacts) left.facts -= 1
      if (addsCategories) left.categories -= 1
      tasks.set(seller.platform_seller_id, {
        sellerId: seller.platform_seller_id,
        listingId: known?.listingId ?? pageIdOf(row.platform_listing_id),
        wantsFacts: addsFacts || (known?.wantsFacts ?? false),
        wantsCategories: addsCategories || (known?.wantsCategories ?? false),
      })
    }
  }
  return [...tasks.values()]
}
