import type { Listing } from '../records.ts'

/**
 * Measures that compare a listing with the others of its search. They are taken over the returned listings and stored with the
 * listing's score: when it is rescored later, it keeps its batch. Plain JSON.
 */
export type Batch = {
  /** Coefficient of variation of the prices, per currency; null with fewer than two. */
  readonly priceVariation: Readonly<Record<string, number | null>>
  /** Listings whose first photo another listing of the batch also has. */
  readonly duplicatePhotos: readonly string[]
}

/** Population standard deviation over the mean; null for fewer than two values. */
export const coefficientOfVariation = (values: readonly number[]): number | null => {
  if (values.length < 2) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return mean === 0 ? null : Math.sqrt(variance) / mean
}

/** Identity of a photo across sizes and formats, which have different URLs. */
export const photoIdentity = (address: string): string => {
  const path = URL.canParse(address) ? new URL(address) : undefined
  const stem = path === undefined ? address : `${path.hostname}${path.pathname}`
  return stem.replace(/\/thumbs(?=\/)/, '').replace(/\/s-l\d+\.\w+$/, '')
}

const duplicates = (listings: readonly Listing[]): ReadonlySet<string> => {
  const found = new Set<string>()
  const seenPhotos = new Set<string>()
  for (const { platformListingId, photoUrls } of listings) {
    const [photo] = photoUrls
    if (photo === undefined) continue
    const identity = photoIdentity(photo)
    if (seenPhotos.has(identity)) found.add(platformListingId)
    seenPhotos.add(identity)
  }
  return found
}

/**
 * Computes the measures of a batch. Among listings that share a photo URL, all but the first are duplicates. Photos that only
 * look alike are compared later, with all that the user has seen (see `photo-hashes/`).
 */
export const batchOf = (listings: readonly Listing[]): Batch => {
  const priced = listings.filter(({ price, priceHigh }) => price !== null && price > 0 && priceHigh === null)
  const byCurrency = Map.groupBy(priced, ({ currency }) => currency)
  const variations = [...byCurrency].map(([currency, group]) => {
    return [currency, coefficientOfVariation(group.map(({ price }) => price ?? 0))] as const
  })
  return { priceVariation: Object.fromEntries(variations), duplicatePhotos: [...duplicates(listings)] }
}
