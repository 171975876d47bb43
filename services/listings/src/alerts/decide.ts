/** What an alert is made of: a listing as a monitor found it, with its score. */
export type Candidate = {
  readonly platform: string
  readonly platformListingId: string
  readonly title: string
  readonly url: string
  readonly photoUrl: string | null
  readonly sellerPlatformId: string
  readonly price: number | null
  /** Whether the price is an end of a range, such as that of a listing with variants. */
  readonly hasRange: boolean
  readonly currency: string
  readonly buyingFormat: string
  readonly endsAt: string | null
  readonly compositeScore: number
  readonly isPartial: boolean
  readonly hardFilters: readonly string[]
}

/** The price in the last alert to a listing. */
export type KnownPrice = { readonly price: number | null; readonly currency: string }

export type AlertKind = 'new_match' | 'price_drop' | 'price_rise'
export type Decision = { readonly kind: AlertKind; readonly priceBefore: number | null }

/** A partial score may still fall: it must exceed the threshold by this much. */
const partialMargin = 10
/** Auctions are of interest when they are about to end, in milliseconds. */
const auctionSpan = 24 * 3_600_000
/** Smallest share by which a price must change to alert again. */
const smallestChange = 0.05

/** The price that others are compared with; null if there is no single one. */
export const singlePrice = ({ price, hasRange }: Pick<Candidate, 'price' | 'hasRange'>): number | null =>
  hasRange ? null : price

/** Prices are compared in whole cents, so that a change of exactly 5 % is one. */
const changeOf = (before: number, after: number): number => Math.round(((after - before) / before) * 1e6) / 1e6

const isTrusted = ({ compositeScore, isPartial, hardFilters }: Candidate, minTrustScore: number): boolean =>
  // Sellers on the blocklist have this filter, whatever threshold the user has set.
  !hardFilters.includes('established_bad_actor') && compositeScore >= minTrustScore + (isPartial ? partialMargin : 0)

const isTimely = ({ buyingFormat, endsAt }: Candidate, now: Date): boolean => {
  if (buyingFormat !== 'auction' || endsAt === null) return true
  const left = Date.parse(endsAt) - now.getTime()
  return left > 0 && left <= auctionSpan
}

/**
 * Whether a listing alerts its user: once as a new match, later when its price has changed enough since the last alert. Bids
 * change the price of an auction all the time, so auctions alert once only. Undefined if it does not alert.
 */
export const decide = (
  candidate: Candidate,
  known: KnownPrice | undefined,
  { minTrustScore, now }: { readonly minTrustScore: number; readonly now: Date },
): Decision | undefined => {
  if (!isTrusted(candidate, minTrustScore) || !isTimely(candidate, now)) return undefined
  if (known === undefined) return { kind: 'new_match', priceBefore: null }
  const { currency, buyingFormat } = candidate
  const price = singlePrice(candidate)
  if (buyingFormat === 'auction' || price === null || known.price === null || known.price <= 0) return undefined
  if (currency !== known.currency) return undefined
  const change = changeOf(known.price, price)
  if (Math.abs(change) < smallestChange) return undefined
  return { kind: change < 0 ? 'price_drop' : 'price_rise', priceBefore: known.price }
}
