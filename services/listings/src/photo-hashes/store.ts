import type { Migration } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { PhotoMatch } from '../scoring/scoring-context.ts'
import type { Tables } from '../store/tables.ts'
import { bandsOf, distanceBetween, maxDistance, probesFor } from './hamming.ts'

export type PhotoHashDb = Kysely<Pick<Tables, 'listings' | 'photo_hashes'>>

export const bandColumns = ['band_0', 'band_1', 'band_2'] as const

/** Each index has all columns that a lookup reads, so that it reads no rows. */
export const createBandIndexes = async ({ schema }: Pick<PhotoHashDb, 'schema'>): Promise<void> => {
  for (const band of bandColumns)
    await schema
      .createIndex(`photo_hashes_by_${band}`)
      .on('photo_hashes')
      .columns(['user_id', band, 'phash', 'listing_id'])
      .execute()
}

export const photoHashesMigration = (number: number): Migration => ({
  number,
  name: 'perceptual hashes of photos',
  up: async (db) => {
    await db.schema
      .createTable('photo_hashes')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('listing_id', 'integer', (column) => column.notNull())
      .addColumn('photo_url', 'text', (column) => column.notNull())
      .addColumn('phash', 'text')
      .addColumn('band_0', 'integer')
      .addColumn('band_1', 'integer')
      .addColumn('band_2', 'integer')
      .addColumn('first_seen_at', 'text', (column) => column.notNull())
      .addColumn('duplicate_listing_id', 'integer')
      .addUniqueConstraint('photo_hashes_by_listing', ['listing_id', 'photo_url'])
      .execute()
    await createBandIndexes(db)
    await db.schema
      .createIndex('photo_hashes_by_duplicate')
      .on('photo_hashes')
      .columns(['duplicate_listing_id'])
      .execute()
  },
})

/** A listing whose photo is similar, and in how many bits its hash differs. */
export type SimilarPhoto = { readonly listingId: number; readonly distance: number }

/** Listings of a user whose photos' hashes differ in at most 8 bits, the most similar first. Exact: none is missed. */
export const findSimilar = async (db: PhotoHashDb, userId: string, hash: string): Promise<readonly SimilarPhoto[]> => {
  const probes = probesFor(hash)
  const within = (band: 0 | 1 | 2) =>
    db
      .selectFrom('photo_hashes')
      .select(['listing_id', 'phash'])
      .where('user_id', '=', userId)
      .where(bandColumns[band], 'in', probes[band] ?? [])
  // One statement: three would cost a database server three round trips.
  const rows = await within(0).unionAll(within(1)).unionAll(within(2)).execute()
  const candidates = new Map<number, string>()
  for (const { listing_id, phash } of rows) if (phash !== null) candidates.set(listing_id, phash)
  return [...candidates]
    .map(([listingId, phash]) => ({ listingId, distance: distanceBetween(hash, phash) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || a.listingId - b.listingId)
}

/** Listings that a lookup considers, most similar first; a stock photo may be on thousands. */
const maxCompared = 200

type Owned = { readonly id: number; readonly seller_platform_id: string }

/** The most similar listing of another seller. A listing whose seller is unknown matches none: it may be the same seller's. */
const otherSellers = async (
  db: PhotoHashDb,
  userId: string,
  hash: string,
  { id, seller_platform_id: seller }: Owned,
): Promise<number | undefined> => {
  if (seller === '') return undefined
  const similar = (await findSimilar(db, userId, hash))
    .filter(({ listingId }) => listingId !== id)
    .slice(0, maxCompared)
  if (similar.length === 0) return undefined
  const ids = similar.map(({ listingId }) => listingId)
  const sellers = await db.selectFrom('listings').select(['id', 'seller_platform_id']).where('id', 'in', ids).execute()
  const others = new Set(sellers.flatMap((row) => (['', seller].includes(row.seller_platform_id) ? [] : [row.id])))
  return ids.find((other) => others.has(other))
}

/** Listings that are looked up again after the photo of one has changed; further ones have no duplicate until their photo is compared again. */
const maxReevaluated = 50

/** Re-evaluates the listings whose duplicate was this listing, whose photo has changed or is deleted. */
const releaseDuplicates = async (db: PhotoHashDb, listingId: number): Promise<readonly number[]> => {
  const rows = await db
    .selectFrom('photo_hashes')
    .innerJoin('listings', 'listings.id', 'photo_hashes.listing_id')
    .select(['photo_hashes.id', 'photo_hashes.user_id', 'listing_id', 'phash', 'seller_platform_id'])
    .where('duplicate_listing_id', '=', listingId)
    .execute()
  for (const [index, { id, user_id, listing_id, phash, seller_platform_id }] of rows.entries()) {
    const other =
      phash === null || index >= maxReevaluated
        ? undefined
        : await otherSellers(db, user_id, phash, { id: listing_id, seller_platform_id })
    await db
      .updateTable('photo_hashes')
      .set({ duplicate_listing_id: other ?? null })
      .where('id', '=', id)
      .execute()
  }
  return rows.map(({ listing_id }) => listing_id)
}

/** Deletes the hashes of listings, and returns the listings that have other duplicates, or none, since. Runs in a transaction. */
export const deletePhotoHashes = async (
  transaction: PhotoHashDb,
  ids: readonly number[],
): Promise<readonly number[]> => {
  const hashes = transaction.deleteFrom('photo_hashes').where('listing_id', 'in', ids)
  const changed = new Set<number>()
  for (const { listing_id } of await hashes.returning('listing_id').execute())
    for (const id of await releaseDuplicates(transaction, listing_id)) changed.add(id)
  return [...changed]
}

export type NewPhotoHash = {
  readonly listing: Owned & { readonly user_id: string }
  readonly photoUrl: string
  readonly hash: string | null
  readonly now: Date
}

/**
 * Stores the hash of a listing's first photo in place of an earlier one, and pairs the listing with the most similar one of another seller. Returns the
 * listings whose duplicates have changed, which may include this one. One worker calls it at a time, so the isolation of the database's default suffices.
 */
export const recordPhotoHash = (
  db: PhotoHashDb,
  { listing, photoUrl, hash, now }: NewPhotoHash,
): Promise<readonly number[]> =>
  db.transaction().execute(async (transaction) => {
    const { id, user_id } = listing
    // It may have been deleted while its photo was fetched.
    if ((await transaction.selectFrom('listings').select('id').where('id', '=', id).execute()).length === 0) return []
    const earlier = await transaction
      .deleteFrom('photo_hashes')
      .where('listing_id', '=', id)
      .returning('duplicate_listing_id')
      .execute()
    const other = hash === null ? undefined : await otherSellers(transaction, user_id, hash, listing)
    const [band_0 = null, band_1 = null, band_2 = null] = hash === null ? [] : bandsOf(hash)
    const row = { user_id, listing_id: id, photo_url: photoUrl, phash: hash, band_0, band_1, band_2 }
    await transaction
      .insertInto('photo_hashes')
      .values({ ...row, first_seen_at: now.toISOString(), duplicate_listing_id: other ?? null })
      .execute()
    const changed = new Set(await releaseDuplicates(transaction, id))
    if (other !== undefined || earlier.some(({ duplicate_listing_id }) => duplicate_listing_id !== null))
      changed.add(id)
    if (other === undefined) return [...changed]
    const paired = await transaction
      .updateTable('photo_hashes')
      .set({ duplicate_listing_id: id })
      .where('listing_id', '=', other)
      .where('duplicate_listing_id', 'is', null)
      .returning('listing_id')
      .execute()
    for (const { listing_id } of paired) changed.add(listing_id)
    return [...changed]
  })

const rowsPerStatement = 500

/** The matches of listings by their internal ids. The sellers are compared again: a listing may have been moved to another. */
export const findPhotoMatches = async (
  db: PhotoHashDb,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PhotoMatch>> => {
  const found = new Map<number, PhotoMatch>()
  for (let start = 0; start < ids.length; start += rowsPerStatement) {
    const rows = await db
      .selectFrom('photo_hashes as own')
      .innerJoin('listings as listing', 'listing.id', 'own.listing_id')
      .innerJoin('photo_hashes as theirs', 'theirs.listing_id', 'own.duplicate_listing_id')
      .innerJoin('listings as other', 'other.id', 'own.duplicate_listing_id')
      .select([
        'own.listing_id as id',
        'own.phash as hash',
        'own.first_seen_at as ownSince',
        'theirs.phash as otherHash',
        'theirs.first_seen_at as otherSince',
        'other.platform_listing_id as platformListingId',
        'other.title as title',
      ])
      .where('own.listing_id', 'in', ids.slice(start, start + rowsPerStatement))
      .whereRef('other.seller_platform_id', '<>', 'listing.seller_platform_id')
      .execute()
    for (const { id, hash, otherHash, ownSince, otherSince, ...match } of rows) {
      const distance = hash === null || otherHash === null ? bitsOfNoMatch : distanceBetween(hash, otherHash)
      const seenAt = [ownSince, otherSince].sort().at(-1) ?? ownSince
      if (distance <= maxDistance) found.set(id, { ...match, distance, seenAt })
    }
  }
  return found
}
const bitsOfNoMatch = 64

/** The stored photos of listings, by their internal ids: those that have been hashed, or cannot be. */
export const findHashedPhotos = async (
  db: PhotoHashDb,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  const found = new Map<number, string>()
  for (let start = 0; start < ids.length; start += rowsPerStatement) {
    const rows = await db
      .selectFrom('photo_hashes')
      .select(['listing_id', 'photo_url'])
      .where('listing_id', 'in', ids.slice(start, start + rowsPerStatement))
      .execute()
    for (const { listing_id, photo_url } of rows) found.set(listing_id, photo_url)
  }
  return found
}
