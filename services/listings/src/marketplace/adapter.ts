import type { AccountOpening, CategoryHistory, FoundListings, Sale } from '../records.ts'

/** One search of the marketplace. Prices in the site's currency; what is undefined does not restrict. */
export type SearchRequest = {
  readonly query: string
  readonly mustExclude: readonly string[]
  readonly minPrice: number | undefined
  readonly maxPrice: number | undefined
  readonly categoryId: string | undefined
  readonly pages: number
}

/** What an adapter can learn of a seller from one of their listings. Unknown is null. */
export type SellerFacts = {
  /** Every name that the page gives its seller: the username, and of a store its name, too. Empty where it shows none. */
  readonly sellerNames: readonly string[]
  readonly accountOpened: AccountOpening | null
  readonly feedbackCount: number | null
  readonly feedbackRatio: number | null
}

/** A way to the marketplace. All of it throws failures that say what happened, and stops with the signal. */
export type MarketplaceAdapter = {
  readonly name: 'api' | 'scraper'
  readonly search: (request: SearchRequest, signal: AbortSignal) => Promise<FoundListings>
  /** Completed sales for a query; empty when there are none, or none that may be seen. */
  readonly completedSales: (query: string, signal: AbortSignal) => Promise<readonly Sale[]>
  /** Facts from a listing's own page; undefined where this way to the marketplace has none. */
  readonly sellerFacts: (platformListingId: string, signal: AbortSignal) => Promise<SellerFacts | undefined>
  /** The categories a seller lists in; null when nothing is known. */
  readonly sellerCategories: (platformSellerId: string, signal: AbortSignal) => Promise<CategoryHistory | null>
}
