import type {
  Listing as ListingMessage,
  ListingsFrame,
  Seller as SellerMessage,
  TrustScore as TrustScoreMessage,
} from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { accountAge } from '../account-opening.ts'
import { wrapUrl } from '../affiliate/affiliate.ts'
import { type AffiliateUser, campaignFor } from '../affiliate/campaign-for.ts'
import type { Dependencies } from '../dependencies.ts'
import { type ListingRow, listingOf } from '../found/store.ts'
import type { Listing } from '../records.ts'
import { scoreOf, type TrustScoreRow } from '../scoring/store.ts'
import { type SellerRow, sellerOf } from '../sellers/store.ts'
import type { Found } from './found.ts'

/** A listing in the API's form. Without `row` it has not been stored, so ids and sightings are unknown. */
export const listingMessage = (listing: Listing, row?: ListingRow, campaign?: string): ListingMessage => ({
  platform: listing.platform,
  platformListingId: listing.platformListingId,
  title: listing.title,
  price: listing.price,
  priceHigh: listing.priceHigh,
  currency: listing.currency,
  condition: listing.condition,
  sellerPlatformId: listing.sellerPlatformId,
  url: wrapUrl(listing.url, campaign),
  photoUrls: [...listing.photoUrls],
  listingAgeDays: listing.listingAgeDays,
  buyingFormat: listing.buyingFormat,
  endsAt: listing.endsAt,
  bidCount: listing.bidCount,
  id: row?.id ?? null,
  fetchedAt: row?.fetched_at ?? null,
  trustScoreId: null,
  categoryName: listing.categoryName,
  firstSeenAt: row?.first_seen_at ?? null,
  lastSeenAt: row?.last_seen_at ?? null,
  timesSeen: row?.times_seen ?? 1,
  priceAtFirstSeen: row?.price_at_first_seen ?? null,
})

export const storedListingMessage = (row: ListingRow, score?: TrustScoreRow, campaign?: string): ListingMessage => ({
  ...listingMessage(listingOf(row), row, campaign),
  trustScoreId: score?.id ?? null,
})

export const trustScoreMessage = (row: TrustScoreRow): TrustScoreMessage => {
  const score = scoreOf(row)
  const { account_age, feedback_count, feedback_ratio, price_vs_market, category_history } = score.signalScores
  return {
    id: row.id,
    listingId: row.listing_id,
    compositeScore: score.compositeScore,
    signalScores: {
      accountAge: account_age,
      feedbackCount: feedback_count,
      feedbackRatio: feedback_ratio,
      priceVsMarket: price_vs_market,
      categoryHistory: category_history,
    },
    hardFilters: [...score.hardFilters],
    softFlags: [...score.softFlags],
    scoreIsPartial: score.scoreIsPartial,
    scoreRange: { ...score.scoreRange },
    evidence: score.evidence.map(({ signal, text, source, as_of }) => ({ signal, text, source, asOf: as_of })),
    improvements: (score.improvements ?? []).map(({ signal, text, composite_score }) => ({
      signal,
      text,
      compositeScore: composite_score,
    })),
    photoHashDuplicate: score.photoHashDuplicate,
    photoAnalysisJson: row.photo_analysis_json,
    scoredAt: row.scored_at,
  }
}

export const sellerMessage = (row: SellerRow, now: Date): SellerMessage => {
  const { accountOpened, categoryHistory } = sellerOf(row)
  return {
    id: row.id,
    platform: row.platform,
    platformSellerId: row.platform_seller_id,
    username: row.username,
    accountAgeDays: accountOpened === null ? null : accountAge(accountOpened, now).atLeast,
    feedbackCount: row.feedback_count,
    // Pages show 0 % where there is no feedback.
    feedbackRatio: row.feedback_ratio === 0 && row.feedback_count === 0 ? null : row.feedback_ratio,
    categoryHistoryJson: JSON.stringify(categoryHistory ?? {}),
    fetchedAt: row.fetched_at,
  }
}

/** Result of a search, as a response or as a frame. */
export type Answer = Omit<ListingsFrame, 'type'>

/** Fields that all answers of a search share. */
export type AnswerFrame = {
  readonly adapterUsed: 'api' | 'scraper'
  /** Whether the installation has a campaign, regardless of the caller. */
  readonly affiliateActive: boolean
  /** The campaign that this caller's links are wrapped with. */
  readonly campaign: string | undefined
  readonly sessionId: string | null
  readonly now: () => Date
}

/** The shared fields of a search's answers; the session is null for a search that never ran. */
export const answerFrame = async (
  { db, config, now }: Dependencies,
  adapterUsed: 'api' | 'scraper',
  sessionId: string | null,
  user: AffiliateUser,
): Promise<AnswerFrame> => ({
  adapterUsed,
  affiliateActive: Boolean(config.affiliateCampaign?.trim()),
  campaign: await campaignFor(db, config, user),
  sessionId,
  now,
})

/** Listings without scores and sellers. Such an answer has no session, since no updates follow. */
export const rawAnswer = (
  listings: readonly Listing[],
  { adapterUsed, affiliateActive, campaign }: AnswerFrame,
): Answer => ({
  listings: listings.map((listing) => listingMessage(listing, undefined, campaign)),
  trustScores: {},
  sellers: {},
  marketPrice: null,
  adapterUsed,
  affiliateActive,
  sessionId: null,
})

/** Everything found, with its scores. */
export const answerFrom = (
  { rows, sellers, context }: Found,
  scores: ReadonlyMap<string, TrustScoreRow>,
  { adapterUsed, affiliateActive, campaign, sessionId, now }: AnswerFrame,
): Answer => ({
  listings: rows.map((row) => storedListingMessage(row, scores.get(row.platform_listing_id), campaign)),
  trustScores: Object.fromEntries([...scores].map(([id, score]) => [id, trustScoreMessage(score)])),
  sellers: Object.fromEntries([...sellers].map(([id, seller]) => [id, sellerMessage(seller, now())])),
  marketPrice: context.comp?.medianPrice ?? null,
  adapterUsed,
  affiliateActive,
  sessionId,
})
