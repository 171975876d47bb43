import { accountAge } from '../account-opening.ts'
import type { Listing, Seller } from '../records.ts'
import * as at from './thresholds.ts'

export const signalNames = [
  'account_age',
  'feedback_count',
  'feedback_ratio',
  'price_vs_market',
  'category_history',
] as const
export type SignalName = (typeof signalNames)[number]

/** Points (0 to 20) per signal; null without data. */
export type SignalScores = Readonly<Record<SignalName, number | null>>

/** The median of completed sales that prices are compared with. */
export type MarketPrice = {
  readonly median: number
  readonly currency: string
  readonly sampleCount: number
  /** When the sales were looked up, ISO 8601 UTC. */
  readonly asOf: string | null
  /** The medians of two groups of prices, if the sales have no single price. */
  readonly modes?: readonly [number, number] | null | undefined
  /** Contains the median of all sales with probability `level`. */
  readonly interval?: { readonly low: number; readonly high: number; readonly level: number } | null | undefined
  /** Medians by condition. */
  readonly strata?: readonly {
    readonly condition: string
    readonly medianPrice: number | null
    readonly sampleCount: number
  }[]
  /** Up to this price an offer is a good deal; null if that cannot be judged. */
  readonly dealBelow?: number | null | undefined
}

/**
 * The ratio used for scoring. Unknown stays unknown, and so does 0 % with a positive count, which is impossible (the count is
 * positives less negatives) and which pages and APIs show when the percentage is unknown. No feedback is 0, whether a page shows
 * it as "0% positive (0)" or in words.
 */
export const knownRatio = ({ feedbackRatio, feedbackCount }: Seller): number | null => {
  if (feedbackCount === 0) return feedbackRatio ?? 0
  return feedbackRatio === 0 ? null : feedbackRatio
}

const ratioPoints = (seller: Seller): number | null => {
  const ratio = knownRatio(seller)
  if (ratio === null) return null
  return hasBadRatio(seller) ? 0 : at.pointsFor(ratio, at.feedbackRatio)
}

/** Whether a seller's feedback marks an established bad actor. */
export const hasBadRatio = (seller: Seller): boolean => {
  const ratio = knownRatio(seller)
  return ratio !== null && ratio < at.badRatio.below && (seller.feedbackCount ?? 0) > at.badRatio.moreThan
}

/** A price as a share of another, without the error of binary fractions: 62.46 is 1.2 of 52.05, not 1.2000000000000002. */
export const shareOf = (price: number, whole: number): number => Number((price / whole).toPrecision(12))

/** Listing price over market price; null if they are not comparable: no single price, no median, another currency. */
export const priceRatio = (listing: Listing, market: MarketPrice | null): number | null =>
  listing.price === null ||
  listing.priceHigh !== null ||
  market === null ||
  market.median <= 0 ||
  market.currency !== listing.currency
    ? null
    : shareOf(listing.price, market.median)

/** Points for the price; null if there is no single market price, or the results are too different to compare. */
const pricePoints = (ratio: number | null, variation: number | null, market: MarketPrice | null): number | null => {
  if (ratio === null || market?.modes || (variation !== null && variation > at.highestPriceVariation)) return null
  const step = at.priceVsMarket.steps.find(({ below }) => ratio < below)
  return step?.points ?? (ratio <= at.priceVsMarket.usualUpTo ? at.priceVsMarket.usual : at.priceVsMarket.above)
}

/** Inputs of the signals, besides the listing and its seller. */
export type Judging = {
  readonly market: MarketPrice | null
  readonly priceVariation: number | null
  readonly now: Date
}

const historyTotal = (seller: Seller): number | null =>
  seller.categoryHistory === null || Object.keys(seller.categoryHistory).length === 0
    ? null
    : Object.values(seller.categoryHistory).reduce((sum, count) => sum + count, 0)

const onSteps = (value: number | null, steps: Parameters<typeof at.pointsFor>[1]): number | null =>
  value === null ? null : at.pointsFor(value, steps)

/**
 * Minimum age of a seller's account in days: pages show the month in which it was opened, and it counts as opened on the last
 * possible day. Null if unknown.
 */
export const accountDays = (seller: Seller | undefined, now: Date): number | null =>
  seller === undefined || seller.accountOpened === null ? null : accountAge(seller.accountOpened, now).atLeast

/** The five signals of a listing; all null except those of a known seller. */
export const signalsOf = (
  listing: Listing,
  seller: Seller | undefined,
  { market, priceVariation, now }: Judging,
): SignalScores => ({
  account_age: onSteps(accountDays(seller, now), at.accountAge),
  feedback_count: onSteps(seller?.feedbackCount ?? null, at.feedbackCount),
  feedback_ratio: seller === undefined ? null : ratioPoints(seller),
  price_vs_market: seller === undefined ? null : pricePoints(priceRatio(listing, market), priceVariation, market),
  category_history: onSteps(seller === undefined ? null : historyTotal(seller), at.categoryHistory),
})
