import type { GetListingResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { findBlocked } from '../blocklist/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { sightingsOf } from '../found/sightings.ts'
import { findListing, type ListingRow, priceHistory } from '../found/store.ts'
import { findScore, scoreOf, type TrustScoreRow } from '../scoring/store.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import type { SellerRow } from '../sellers/store.ts'
import { rescoreListing } from './rescore-listing.ts'
import { sellerMessage, storedListingMessage, trustScoreMessage } from './wire.ts'

/**
 * The stored score of a listing. It is renewed if its seller has been blocked or unblocked since: an import may change thousands
 * of sellers, so scores follow the blocklist when they are read.
 */
const currentScore = async (
  dependencies: Dependencies,
  row: ListingRow,
  sellers: ReadonlyMap<string, SellerRow>,
): Promise<TrustScoreRow | undefined> => {
  const { db, config } = dependencies
  const stored = await findScore(db, row.id)
  if (stored === undefined) return undefined
  const blocked = await findBlocked(db, row.user_id, config.platform, [row.seller_platform_id])
  const wasBlocked = scoreOf(stored).evidence.some(({ source }) => source === 'blocklist')
  if (blocked.has(row.seller_platform_id) === wasBlocked) return stored
  return (await rescoreListing(dependencies, row, { sellers })) ?? stored
}

/** A listing that a user's searches have found, with all that is stored about it; undefined if none has found it. */
export const readListing = async (
  dependencies: Dependencies,
  userId: string,
  platformListingId: string,
): Promise<GetListingResponse | undefined> => {
  const { db, config, now } = dependencies
  const row = await findListing(db, userId, config.platform, platformListingId)
  if (row === undefined) return undefined
  const sellers = await sellersForUser(dependencies, userId, [row.seller_platform_id])
  const score = await currentScore(dependencies, row, sellers)
  const seller = sellers.get(row.seller_platform_id)
  const prices = await priceHistory(db, row.id)
  return {
    listing: storedListingMessage(row, score),
    trustScore: score === undefined ? null : trustScoreMessage(score),
    seller: seller === undefined ? null : sellerMessage(seller, now()),
    priceHistory: prices.map(({ price, currency, captured_at }) => ({ price, currency, capturedAt: captured_at })),
    sightings: [...(await sightingsOf(db, row.id))],
  }
}
