import { photoIdentity } from './batch.ts'

/** A listing that a user's searches have found, as far as a seller's listings are compared. Times are ISO 8601. */
export type SellersListing = {
  readonly id: string
  readonly title: string
  /** Null if the listing has no single price. */
  readonly price: number | null
  readonly currency: string
  readonly photo: string | undefined
  readonly firstSeenAt: string
  readonly lastSeenAt: string
}

/** How a listing compares with the others of its seller. */
export type SellerComparison = {
  /** Median price of the seller's other listings; null with fewer than five. */
  readonly usualPrice: { readonly median: number; readonly count: number } | null
  /** An earlier listing of the same thing, which was gone before this one appeared. */
  readonly relistingOf: { readonly id: string; readonly lastSeenAt: string; readonly by: 'title' | 'photo' } | null
}

/** Minimum number of a seller's other listings for a usual price. */
const fewestListings = 5

const normalised = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const middle = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ]
  return (low + high) / 2
}

const sameThing = (a: SellersListing, b: SellersListing): 'title' | 'photo' | undefined => {
  if (normalised(a.title) !== '' && normalised(a.title) === normalised(b.title)) return 'title'
  const [photo, other] = [a.photo, b.photo]
  return photo !== undefined && other !== undefined && photoIdentity(photo) === photoIdentity(other)
    ? 'photo'
    : undefined
}

/**
 * Compares a listing with the others of its seller. A seller who lists the same thing again under a new id starts with a clean
 * record of prices and sightings. Listings that were offered at the same time are copies rather than relistings.
 */
export const compareWithSellers = (listing: SellersListing, all: readonly SellersListing[]): SellerComparison => {
  const others = all.filter(({ id }) => id !== listing.id)
  const prices = others.flatMap(({ price, currency }) =>
    price === null || currency !== listing.currency ? [] : [price],
  )
  const earlier = others
    .filter(({ lastSeenAt }) => lastSeenAt < listing.firstSeenAt)
    .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
  const [relisted] = earlier.flatMap((other) => {
    const by = sameThing(listing, other)
    return by === undefined ? [] : [{ id: other.id, lastSeenAt: other.lastSeenAt, by }]
  })
  return {
    usualPrice: prices.length < fewestListings ? null : { median: middle(prices), count: prices.length },
    relistingOf: relisted ?? null,
  }
}
