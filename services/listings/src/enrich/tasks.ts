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

/** Whether what a task looks up of a seller is still missing or stale. */
export const isOpen = (seller: SellerRow, { wantsFacts, wantsCategories }: SellerTask, now: Date): boolean => {
  const { missing, stale } = questionsOf(seller, now)
  return (wantsFacts && (missing.facts || stale.facts)) || (wantsCategories && (missing.categories || stale.categories))
}

/** The id in the URL of a listing's page, which the API wraps in a longer id. */
export const pageIdOf = (platformListingId: string): string =>
  /^v\d\|(\d+)\|/.exec(platformListingId)?.[1] ?? platformListingId

/** Points of a score that depend on a missing answer: the age of the account, and the categories. */
const points = { account: 20, categories: 20 } as const

/** A lookup that ended in vain is not repeated before others for this time, in milliseconds. */
const vainFor = 3_600_000

type Candidate = { readonly seller: SellerRow; readonly listingId: string; readonly listings: number }

/** The sellers of results, in their order, with their first listing and the number of listings. */
const candidatesIn = (rows: readonly ListingRow[], sellers: ReadonlyMap<string, SellerRow>): readonly Candidate[] =>
  [...Map.groupBy(rows, ({ seller_platform_id: id }) => id)].flatMap(([id, theirs]) => {
    const [first, seller] = [theirs[0], sellers.get(id)]
    return first === undefined || seller === undefined
      ? []
      : [{ seller, listingId: pageIdOf(first.platform_listing_id), listings: theirs.length }]
  })

/** How much the answers about a seller can change: the points that depend on them, in all their listings. Nothing where they were just looked up in vain. */
const stakeOf = ({ seller, listings }: Candidate, now: Date): number => {
  if (!isOlder(seller.lookup_until, vainFor, now)) return 0
  const { facts, categories } = questionsOf(seller, now).missing
  const account = facts && (seller.account_opened_on === null || seller.account_listing_id === null)
  return listings * ((account ? points.account : 0) + (categories ? points.categories : 0))
}

/**
 * Chooses what to look up after a search: the sellers that lack facts and those that lack categories, those first whose answers can change most, and in the
 * order of the results where that is equal. If fewer than the limit lack either, sellers with stale data follow. Nothing can change the score of
 * a blocked seller.
 */
export const chooseTasks = (
  rows: readonly ListingRow[],
  sellers: ReadonlyMap<string, SellerRow>,
  now: Date,
  isBlocked: (sellerId: string) => boolean = () => false,
): readonly SellerTask[] => {
  const candidates = candidatesIn(rows, sellers)
    .filter(({ seller }) => !isBlocked(seller.platform_seller_id))
    .map((candidate) => ({
      ...candidate,
      questions: questionsOf(candidate.seller, now),
      stake: stakeOf(candidate, now),
    }))
    .toSorted((a, b) => b.stake - a.stake)
  const chosen = (question: 'facts' | 'categories') =>
    [
      ...candidates.filter(({ questions }) => questions.missing[question]),
      ...candidates.filter(({ questions }) => questions.stale[question] && !questions.missing[question]),
    ].slice(0, lookupsPerSearch)
  const [facts, categories] = [chosen('facts'), chosen('categories')]
  return [...new Set([...facts, ...categories])].map((candidate) => ({
    sellerId: candidate.seller.platform_seller_id,
    listingId: candidate.listingId,
    wantsFacts: facts.includes(candidate),
    wantsCategories: categories.includes(candidate),
  }))
}
