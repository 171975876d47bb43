import { findBlocked } from '../blocklist/store.ts'
import { stratumOfListing } from '../comps/relevance.ts'
import type { StoredComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import {
  currenciesAtFirstSeen,
  type ListingRow,
  listingOf,
  listingsOfSellers,
  type SellersRow,
} from '../found/store.ts'
import { findPhotoMatches } from '../photo-hashes/store.ts'
import type { Batch } from '../scoring/batch.ts'
import { scoreListing } from '../scoring/score.ts'
import type { SellerProvenance } from '../scoring/scoring-context.ts'
import { compareWithSellers, type SellersListing } from '../scoring/seller-listings.ts'
import type { MarketPrice } from '../scoring/signals.ts'
import { type StoredContext, saveScores, type TrustScoreRow } from '../scoring/store.ts'
import { type SellerRow, sellerOf } from '../sellers/store.ts'

/** Context of the scores of one search, besides the sellers. */
export type SearchContext = {
  readonly batch: Batch
  readonly comp: StoredComp | undefined
  /** Earlier comparison price, used if the comp is no longer stored. */
  readonly earlierMarket?: MarketPrice | null | undefined
  readonly compQuery: string
}

export const marketPriceOf = (comp: StoredComp | undefined): MarketPrice | null =>
  comp === undefined || comp.medianPrice === null || comp.currency === null
    ? null
    : {
        median: comp.medianPrice,
        currency: comp.currency,
        sampleCount: comp.sampleCount,
        asOf: comp.fetchedAt,
        modes: comp.details?.modes ?? null,
        interval: comp.details?.interval ?? null,
        strata: comp.details?.strata ?? [],
        dealBelow: comp.history?.dealBelow ?? null,
      }

const comparable = (row: ListingRow | SellersRow): SellersListing => ({
  id: row.platform_listing_id,
  title: row.title,
  price: row.price_high === null ? row.price : null,
  currency: row.currency,
  photo: (JSON.parse(row.photo_urls_json) as string[])[0],
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
})

const provenanceOf = (seller: SellerRow | undefined): SellerProvenance => ({
  accountAsOf: seller?.account_read_at ?? null,
  feedbackAsOf: seller?.feedback_read_at ?? null,
  historyAsOf: seller?.history_read_at ?? null,
  historySource: seller?.history_source ?? 'marketplace',
})

/** Listings whose first price was in another currency: the site shows its visitors prices in theirs, so the two cannot be compared. */
const pricedOtherwise = async (db: Dependencies['db'], rows: readonly ListingRow[]): Promise<ReadonlySet<number>> => {
  const changed = rows.filter(({ price, price_at_first_seen: first }) => first !== null && first !== price)
  const first = await currenciesAtFirstSeen(
    db,
    changed.map(({ id }) => id),
  )
  return new Set(changed.filter(({ id, currency }) => (first.get(id) ?? currency) !== currency).map(({ id }) => id))
}

/** What scoring needs of a service. */
export type ScoringDependencies = Pick<Dependencies, 'db' | 'config' | 'now'>

/** Scores stored listings of one user and saves the scores; returns them by the marketplace's listing ids. */
export const scoreRows = async (
  { db, config, now }: ScoringDependencies,
  rows: readonly ListingRow[],
  sellers: ReadonlyMap<string, SellerRow>,
  { batch, comp, earlierMarket = null, compQuery }: SearchContext,
): Promise<ReadonlyMap<string, TrustScoreRow>> => {
  const at = now()
  const market = marketPriceOf(comp) ?? earlierMarket
  const ids = rows.map(({ seller_platform_id }) => seller_platform_id)
  const blocked = await findBlocked(db, rows[0]?.user_id ?? '', config.platform, ids)
  const theirs = await listingsOfSellers(db, rows[0]?.user_id ?? '', ids)
  const bySeller = Map.groupBy(theirs, ({ seller_platform_id }) => seller_platform_id)
  const photoMatches = await findPhotoMatches(
    db,
    rows.map(({ id }) => id),
  )
  const otherwise = await pricedOtherwise(db, rows)
  const scores = rows.map((row) => {
    const seller = sellers.get(row.seller_platform_id)
    const score = scoreListing(listingOf(row), seller === undefined ? undefined : sellerOf(seller), {
      now: at,
      market,
      batch,
      sightings: {
        timesSeen: row.times_seen,
        firstSeenAt: row.first_seen_at,
        priceAtFirstSeen: otherwise.has(row.id) ? null : row.price_at_first_seen,
      },
      blocked: blocked.get(row.seller_platform_id) ?? false,
      photoMatch: photoMatches.get(row.id),
      provenance: provenanceOf(seller),
      comparison: compareWithSellers(comparable(row), (bySeller.get(row.seller_platform_id) ?? []).map(comparable)),
      stratum: stratumOfListing(row.title, row.condition),
    })
    const context: StoredContext = {
      priceVariation: batch.priceVariation[row.currency] ?? null,
      hasDuplicatePhoto: batch.duplicatePhotos.includes(row.platform_listing_id),
      compQuery,
      market,
    }
    return { listingId: row.id, score, context }
  })
  const saved = new Map((await saveScores(db, scores)).map((row) => [row.listing_id, row]))
  return new Map(
    rows.flatMap((row) => {
      const score = saved.get(row.id)
      return score === undefined ? [] : [[row.platform_listing_id, score] as const]
    }),
  )
}

/** The batch that a listing retains from its last search, for rescoring it alone. */
export const batchFrom = (row: ListingRow, { priceVariation, hasDuplicatePhoto }: StoredContext): Batch => ({
  priceVariation: { [row.currency]: priceVariation },
  duplicatePhotos: hasDuplicatePhoto ? [row.platform_listing_id] : [],
})
