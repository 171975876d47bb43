import type { ListingRow } from '../found/store.ts'
import { historyOf, type SellerRow } from '../sellers/store.ts'
import type { SellerTask } from '../worker/messages.ts'

/** Sellers looked up after one search, for each of the two questions. */
export const lookupsPerSearch = 3

const day = 86_400_000
/** How long what was read of a seller holds, in milliseconds: a join date does not change, what is listed does. */
const lifetime = { account: 30 * day, history: 7 * day } as const

const isOlder = (readAt: string | null, age: number, now: Date): boolean =>
  readAt === null || now.getTime() - Date.parse(readAt) > age

/**
 * Whether facts are missing. A feedback count of 0 may be a seller's first day, or a page that shows none. A join date that
 * no listing stands for was stored before pages were checked for whose they are, and is read again.
 */
const lacksFacts = (seller: SellerRow): boolean =>
  seller.account_opened_on === null || seller.account_listing_id === null || (seller.feedback_count ?? 0) === 0
const lacksCategories = (seller: SellerRow): boolean =>
  seller.history_source !== 'marketplace' || historyOf(seller) === null

/** What is worth asking of a seller: what is missing, and what was read too long ago. */
export const questionsOf = (seller: SellerRow, now: Date) => ({
  missing: { facts: lacksFacts(seller), categories: lacksCategories(seller) },
  stale: {
    facts: isOlder(seller.account_read_at, lifetime.account, now),
    categories: isOlder(seller.history_read_at, lifetime.history, now),
  },
})

/** The id under which a listing has a page: the API wraps it in a longer one. */
export const pageIdOf = (platformListingId: string): string =>
  /^v\d\|(\d+)\|/.exec(platformListingId)?.[1] ?? platformListingId

/**
 * What to look up after a search: in the order of the results, the first sellers that lack facts and the first that lack
 * categories; where fewer than allowed lack any, those whose facts or categories are stale.
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
      const wantsFacts = facts && !known?.wantsFacts && left.facts > 0
      const wantsCategories = categories && !known?.wantsCategories && left.categories > 0
      if (!wantsFacts && !wantsCategories) continue
      if (wantsFacts) left.facts -= 1
      if (wantsCategories) left.categories -= 1
      tasks.set(seller.platform_seller_id, {
        sellerId: seller.platform_seller_id,
        listingId: known?.listingId ?? pageIdOf(row.platform_listing_id),
        wantsFacts: wantsFacts || (known?.wantsFacts ?? false),
        wantsCategories: wantsCategories || (known?.wantsCategories ?? false),
      })
    }
  }
  return [...tasks.values()]
}
