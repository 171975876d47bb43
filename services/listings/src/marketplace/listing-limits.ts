import type { Listing } from '../records.ts'

/** Maximum lengths of stored texts, in UTF-16 units; the marketplace itself allows titles of 80. */
const longest = { title: 300, condition: 100, category: 200, id: 100, address: 2_000 } as const
const maxPhotos = 24

/** Truncates a text without leaving half of a surrogate pair at its end. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Whether an address may appear on a page as a link or a picture: scripts and local files may not. */
const isWebAddress = (address: string): boolean => {
  if (address.length > longest.address) return false
  const protocol = URL.parse(address)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

/**
 * Enforces the limits that the rest of the service relies on: truncates texts, and drops pictures without a web address.
 * Undefined for a listing whose id or link is unusable.
 */
export const withinLimits = (listing: Listing): Listing | undefined =>
  listing.platformListingId.length > longest.id || !isWebAddress(listing.url)
    ? undefined
    : {
        ...listing,
        title: cut(listing.title, longest.title),
        condition: cut(listing.condition, longest.condition),
        categoryName: listing.categoryName === null ? null : cut(listing.categoryName, longest.category),
        photoUrls: listing.photoUrls.filter(isWebAddress).slice(0, maxPhotos),
      }
