import type { AccountOpening, CategoryHistory, FoundListings, Sale } from '../records.ts'
import type { FieldCount } from './page-fields.ts'

/** One search of the marketplace. Prices are in the site's currency; undefined fields do not restrict. */
export type SearchRequest = {
  readonly query: string
  readonly mustExclude: readonly string[]
  readonly minPrice: number | undefined
  readonly maxPrice: number | undefined
  readonly categoryId: string | undefined
  readonly pages: number
}

/** What an adapter can learn of a seller from one of their listings. Unknown values are null. */
export type SellerFacts = {
  /** Every name that the page shows for its seller: the username and, for a store, its name. Empty if it shows none. */
  readonly sellerNames: readonly string[]
  readonly accountOpened: AccountOpening | null
  readonly feedbackCount: number | null
  readonly feedbackRatio: number | null
  /** The marketplace's id of the seller that stays when they change their name; only the API shows it. */
  readonly platformUserId?: string | null
}

/** Calls that a run has sent to the API, and the API's daily quota, if it was read. */
export type ApiUsage = { readonly calls: number; readonly quota: ApiQuota | null }
export type ApiQuota = { readonly limit: number; readonly remaining: number; readonly resetsAt: string | null }

/** Access to the marketplace. All methods throw failures that describe what happened, and stop when the signal aborts. */
export type MarketplaceAdapter = {
  readonly name: 'api' | 'scraper'
  readonly search: (request: SearchRequest, signal: AbortSignal) => Promise<FoundListings>
  /** Completed sales for a query; empty if there are none or access to them is not permitted. */
  readonly completedSales: (query: string, signal: AbortSignal) => Promise<readonly Sale[]>
  /** Facts about the seller of a listing; undefined if this adapter cannot read them. */
  readonly sellerFacts: (platformListingId: string, signal: AbortSignal) => Promise<SellerFacts | undefined>
  /** Categories that a seller lists in; null if unknown. */
  readonly sellerCategories: (platformSellerId: string, signal: AbortSignal) => Promise<CategoryHistory | null>
  /** How often the fields of the pages that were read so far were found; only of an adapter that reads pages. */
  readonly fields?: () => readonly FieldCount[]
  /** Only of an adapter with a quota. */
  readonly usage?: {
    /** Calls so far. */
    readonly calls: () => number
    /** The quota, or null if it was read recently or cannot be read. Never throws. */
    readonly readQuota: (signal: AbortSignal) => Promise<ApiQuota | null>
  }
}
