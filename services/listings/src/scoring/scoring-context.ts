import type { Batch } from './batch.ts'
import type { Sightings } from './flags.ts'
import type { MarketPrice } from './signals.ts'

/** All that a score depends on beside the listing and its seller. */
export type ScoringContext = {
  readonly now: Date
  readonly market: MarketPrice | null
  readonly batch: Batch
  readonly sightings: Sightings
  /** Whether the seller is on the blocklist; the reason given there, if any. */
  readonly blocked: false | { readonly reason: string | null }
  /** When the seller's record was last refreshed, ISO 8601 UTC. */
  readonly sellerAsOf: string | null
}
