import type { Listing, Seller } from '../records.ts'

/** Maximum lengths of stored texts, in UTF-16 units; the marketplace itself allows titles of 80. */
const longest = { title: 300, condition: 100, category: 200, id: 100, seller: 200, address: 2_000 } as const
const maxPhotos = 24
/** The largest number of a column of integers, and of an int32 in messages. */
const largestCount = 2 ** 31 - 1

/** Truncates a text without leaving half of a surrogate pair at its end. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Whether an address may appear on a page as a link or a picture: scripts and local files may not. */
const isWebAddress = (address: string): boolean => {
  if (address.length > longest.address) return false
  const protocol = URL.parse(address)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

/** A count as the rest of the service expects it, whatever a page or an API states: a whole number, not negative. */
const count = (stated: number | null): number | null =>
  stated === null ? null : Math.min(largestCount, Math.max(0, Math.trunc(stated)))

/** Enforces the same limits for a seller. Undefined for one whose name is unusable. */
export const sellerWithinLimits = (seller: Seller): Seller | undefined =>
  seller.platformSellerId.length > longest.seller
    ? undefined
    : {
        ...seller,
        feedbackCount: count(seller.feedbackCount),
        feedbackRatio:
          seller.feedbackRatio !== null && seller.feedbackRatio >= 0 && seller.feedbackRatio <= 1
            ? seller.feedbackRatio
            : null,
      }

/**
 * Enforces the limits that the rest of the service relies on: truncates texts, and drops pictures without a web address, prices that are none, and
 * sellers whose names are unusable. Undefined for a listing whose id or link is unusable.
 */
export const withinLimits = (listing: Listing): Listing | undefined =>
  listing.platformListingId.length > longest.id || !isWebAddress(listing.url)
    ? undefined
    : {
        ...listing,
        title: cut(listing.title, longest.title),
        price: listing.price !== null && listing.price >= 0 ? listing.price : null,
        bidCount: count(listing.bidCount),
        sellerPlatformId: listing.sellerPlatformId.length > longest.seller ? '' : listing.sellerPlatformId,
        condition: cut(listing.condition, longest.condition),
        categoryName: listing.categoryName === null ? null : cut(listing.categoryName, longest.category),
        photoUrls: listing.photoUrls.filter(isWebAddress).slice(0, maxPhotos),
      }
