/** How a listing is sold. An auction that also takes offers is an auction. */
export type BuyingFormat = 'fixed_price' | 'auction' | 'best_offer'

/**
 * A listing as an adapter found it. `price` is the lower bound where the marketplace shows a range, and then `priceHigh`
 * is the upper one, or the same if the marketplace shows one end only ("From $50"); both are in major units of `currency` (ISO 4217). A price that could not be read is null.
 */
export type Listing = {
  readonly platform: string
  readonly platformListingId: string
  readonly title: string
  readonly price: number | null
  readonly priceHigh: number | null
  readonly currency: string
  /** Lower-cased free text of the marketplace; empty if it shows none. */
  readonly condition: string
  /** Empty if the page shows no seller. */
  readonly sellerPlatformId: string
  readonly url: string
  readonly photoUrls: readonly string[]
  readonly listingAgeDays: number
  readonly buyingFormat: BuyingFormat
  /** ISO 8601 UTC; null unless the listing is an auction. */
  readonly endsAt: string | null
  readonly bidCount: number | null
  readonly categoryName: string | null
}

/** Counts per category key, of the seller's listings (see seller-page.ts for the keys). */
export type CategoryHistory = Readonly<Record<string, number>>

/** The first and the last day (YYYY-MM-DD) on which an account may have been opened: most pages show the month. */
export type AccountOpening = { readonly earliest: string; readonly latest: string }

/** A seller; values that an adapter could not learn are null. `feedbackRatio` is a share from 0 to 1. */
export type Seller = {
  readonly platform: string
  readonly platformSellerId: string
  readonly username: string
  readonly accountOpened: AccountOpening | null
  readonly feedbackCount: number | null
  readonly feedbackRatio: number | null
  readonly categoryHistory: CategoryHistory | null
}

/** Result of a search through any adapter. */
export type FoundListings = {
  readonly listings: readonly Listing[]
  readonly sellers: readonly Seller[]
  /** Share (0 to 1) of the cards of the worst page that could be read; null for an API, which has no cards. */
  readonly usableShare: number | null
}

/** A completed sale that is suitable for comparison: one at a single paid price. */
export type Sale = {
  readonly price: number
  readonly currency: string
  /** Date of the sale (YYYY-MM-DD), if known. */
  readonly soldOn: string | null
  /** Null in sales from workers of older versions. */
  readonly title?: string | null
  /** Lower-cased free text of the marketplace. */
  readonly condition?: string | null
}
