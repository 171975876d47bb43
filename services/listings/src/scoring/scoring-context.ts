import type { Batch } from './batch.ts'
import type { Sightings } from './flags.ts'
import type { SellerComparison } from './seller-listings.ts'
import type { MarketPrice } from './signals.ts'

/** When each fact about a seller was read (ISO 8601 UTC; null if unknown), and the source of their category history. */
export type SellerProvenance = {
  readonly accountAsOf: string | null
  readonly feedbackAsOf: string | null
  readonly historyAsOf: string | null
  /** The seller's own page, or the listings that the user's searches have found. */
  readonly historySource: 'marketplace' | 'own searches'
}

/** Everything that a score depends on besides the listing and its seller. */
export type ScoringContext = {
  readonly now: Date
  readonly market: MarketPrice | null
  readonly batch: Batch
  readonly sightings: Sightings
  /** Whether the seller is on the blocklist, with the entry's reason, if any. */
  readonly blocked: false | { readonly reason: string | null }
  readonly provenance: SellerProvenance
  /** How the listing compares with the seller's others among the user's finds. */
  readonly comparison?: SellerComparison | undefined
  /** The stratum of sales that the listing belongs to by its title and condition. */
  readonly stratum?: string | null
  /** Another seller's listing that shows nearly the same photo, among all that the user's searches have found. */
  readonly photoMatch?: PhotoMatch | undefined
}

/** Another seller's listing with nearly the same photo. Without the seller's name, which must not outlive their account in the evidence. */
export type PhotoMatch = {
  readonly platformListingId: string
  readonly title: string
  /** In how many of 64 bits the perceptual hashes differ. */
  readonly distance: number
  /** When the photos were first found to match (ISO 8601). */
  readonly seenAt: string
}
