import { transact } from '@trellis/kit/store'
import type { Selectable } from 'kysely'
import type { BuyingFormat, Listing } from '../records.ts'
import type { Db, Tables } from '../store/tables.ts'
import { listingTables } from './listing-tables.ts'
import { recordSightings } from './sightings.ts'

export type ListingRow = Selectable<Tables['listings']>

/** Rows per statement: at 20 columns each, their parameters stay below the limits of the databases. */
const rowsPerStatement = 200

const chunks = <Row>(rows: readonly Row[]): readonly (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / rowsPerStatement) }, (_, index) =>
    rows.slice(index * rowsPerStatement, (index + 1) * rowsPerStatement),
  )

/** Converts a stored row to the listing that an adapter would return. */
export const listingOf = (row: ListingRow): Listing => ({
  platform: row.platform,
  platformListingId: row.platform_listing_id,
  title: row.title,
  price: row.price,
  priceHigh: row.price_high,
  currency: row.currency,
  condition: row.condition,
  sellerPlatformId: row.seller_platform_id,
  url: row.url,
  photoUrls: JSON.parse(row.photo_urls_json) as string[],
  listingAgeDays: row.listing_age_days,
  buyingFormat: row.buying_format as BuyingFormat,
  endsAt: row.ends_at,
  bidCount: row.bid_count,
  categoryName: row.category_name,
})

const newRow = (userId: string, seenAt: string) => (listing: Listing) => ({
  user_id: userId,
  platform: listing.platform,
  platform_listing_id: listing.platformListingId,
  title: listing.title,
  price: listing.price,
  price_high: listing.priceHigh,
  currency: listing.currency,
  condition: listing.condition,
  seller_platform_id: listing.sellerPlatformId,
  url: listing.url,
  photo_urls_json: JSON.stringify(listing.photoUrls),
  listing_age_days: listing.listingAgeDays,
  buying_format: listing.buyingFormat,
  ends_at: listing.endsAt,
  bid_count: listing.bidCount,
  category_name: listing.categoryName,
  fetched_at: seenAt,
  first_seen_at: seenAt,
  last_seen_at: seenAt,
  times_seen: 0,
  price_at_first_seen: listing.price,
})

/**
 * Inserts or updates listings: current values of the marketplace replace earlier ones, while the first sighting and its price
 * stay, and a known category is never overwritten with null.
 */
const upsertListings = (db: Db, rows: readonly ReturnType<ReturnType<typeof newRow>>[]): Promise<ListingRow[]> =>
  db
    .insertInto('listings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'platform', 'platform_listing_id']).doUpdateSet((eb) => ({
        title: eb.ref('excluded.title'),
        price: eb.ref('excluded.price'),
        price_high: eb.ref('excluded.price_high'),
        currency: eb.ref('excluded.currency'),
        condition: eb.ref('excluded.condition'),
        seller_platform_id: eb.ref('excluded.seller_platform_id'),
        url: eb.ref('excluded.url'),
        photo_urls_json: eb.ref('excluded.photo_urls_json'),
        listing_age_days: eb.ref('excluded.listing_age_days'),
        buying_format: eb.ref('excluded.buying_format'),
        ends_at: eb.ref('excluded.ends_at'),
        bid_count: eb.ref('excluded.bid_count'),
        fetched_at: eb.ref('excluded.fetched_at'),
        last_seen_at: eb.ref('excluded.last_seen_at'),
        category_name: eb.fn.coalesce('excluded.category_name', 'listings.category_name'),
        price_at_first_seen: eb.fn.coalesce('listings.price_at_first_seen', 'excluded.price_at_first_seen'),
      })),
    )
    .returningAll()
    .execute()

/** The latest known price of each listing. */
const latestPrices = async (
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { price: number | null; currency: string }>> => {
  const latest = db
    .selectFrom('listing_prices')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('listing_id', 'in', ids)
    .groupBy('listing_id')
  const rows = await db.selectFrom('listing_prices').selectAll().where('id', 'in', latest).execute()
  return new Map(rows.map(({ listing_id, price, currency }) => [listing_id, { price, currency }]))
}

const recordPrices = async (db: Db, rows: readonly ListingRow[], capturedAt: string): Promise<void> => {
  const known = await latestPrices(
    db,
    rows.map(({ id }) => id),
  )
  const changed = rows.filter(({ id, price, currency }) => {
    const last = known.get(id)
    return last === undefined || last.price !== price || last.currency !== currency
  })
  if (changed.length === 0) return
  const prices = changed.map(({ id, price, currency }) => ({
    listing_id: id,
    price,
    currency,
    captured_at: capturedAt,
  }))
  await db.insertInto('listing_prices').values(prices).execute()
}

/** Sorts listings by id, so that two searches that store the same listings concurrently lock rows in the same order. */
const inOrder = (listings: readonly Listing[]): readonly Listing[] =>
  listings.toSorted((a, b) => (a.platformListingId < b.platformListingId ? -1 : 1))

/**
 * Stores what a search found for a user, with its prices and sightings, and returns the rows in the order of the listings.
 * Idempotent for each search: when another replica resumes it, nothing is counted twice.
 */
export const storeListings = async (
  db: Db,
  search: { readonly id: string; readonly userId: string },
  listings: readonly Listing[],
  seenAt: Date,
): Promise<readonly ListingRow[]> => {
  const time = seenAt.toISOString()
  const stored = await transact(db, async (transaction) => {
    const all: ListingRow[] = []
    for (const chunk of chunks(inOrder(listings).map(newRow(search.userId, time)))) {
      const rows = await upsertListings(transaction, chunk)
      await recordPrices(transaction, rows, time)
      all.push(...(await recordSightings(transaction, rows, { id: search.id, seenAt: time })))
    }
    return all
  })
  const byId = new Map(stored.map((row) => [row.platform_listing_id, row]))
  return listings.flatMap(({ platformListingId }) => byId.get(platformListingId) ?? [])
}

/** A user's listing by the marketplace's id. */
export const findListing = (
  db: Db,
  userId: string,
  platform: string,
  platformListingId: string,
): Promise<ListingRow | undefined> =>
  db
    .selectFrom('listings')
    .selectAll()
    .where('user_id', '=', userId)
    .where('platform', '=', platform)
    .where('platform_listing_id', '=', platformListingId)
    .executeTakeFirst()

/** A listing of any user by its internal id. */
export const findListingById = (db: Db, id: number): Promise<ListingRow | undefined> =>
  db.selectFrom('listings').selectAll().where('id', '=', id).executeTakeFirst()

/** Changes of a listing's price, oldest first. */
export const priceHistory = (db: Db, listingId: number) =>
  db
    .selectFrom('listing_prices')
    .select(['price', 'currency', 'captured_at'])
    .where('listing_id', '=', listingId)
    .orderBy('id')
    .execute()

/** The currencies of the first known prices of listings, by their internal ids. */
export const currenciesAtFirstSeen = async (db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  const found = new Map<number, string>()
  for (const chunk of chunks(ids)) {
    const first = db
      .selectFrom('listing_prices')
      .select((eb) => eb.fn.min('id').as('id'))
      .where('listing_id', 'in', chunk)
      .where('price', 'is not', null)
      .groupBy('listing_id')
    const rows = await db
      .selectFrom('listing_prices')
      .select(['listing_id', 'currency'])
      .where('id', 'in', first)
      .execute()
    for (const { listing_id, currency } of rows) found.set(listing_id, currency)
  }
  return found
}

/** How many of a user's listings each of the sellers has in each category. */
export const categoryCounts = async (db: Db, userId: string, sellers: readonly string[]) =>
  sellers.length === 0
    ? []
    : db
        .selectFrom('listings')
        .select((eb) => ['seller_platform_id', 'category_name', eb.fn.countAll<number>().as('count')])
        .where('user_id', '=', userId)
        .where('seller_platform_id', 'in', sellers)
        .where('category_name', 'is not', null)
        .groupBy(['seller_platform_id', 'category_name'])
        .execute()

/** Maximum listings of sellers that one search compares its results with. */
const maxCompared = 5_000

export type SellersRow = Pick<
  ListingRow,
  | 'platform_listing_id'
  | 'seller_platform_id'
  | 'title'
  | 'price'
  | 'price_high'
  | 'currency'
  | 'photo_urls_json'
  | 'first_seen_at'
  | 'last_seen_at'
>

/** The listings of some sellers that a user's searches have found, the last seen first. Listings without a seller are left out. */
export const listingsOfSellers = async (
  db: Db,
  userId: string,
  sellers: readonly string[],
): Promise<readonly SellersRow[]> => {
  const ids = [...new Set(sellers)].filter((id) => id !== '')
  const rows: SellersRow[] = []
  for (const chunk of chunks(ids)) {
    const columns = ['platform_listing_id', 'seller_platform_id', 'title', 'price', 'price_high', 'currency'] as const
    const found = await db
      .selectFrom('listings')
      .select([...columns, 'photo_urls_json', 'first_seen_at', 'last_seen_at'])
      .where('user_id', '=', userId)
      .where('seller_platform_id', 'in', chunk)
      .orderBy('last_seen_at', 'desc')
      .limit(maxCompared)
      .execute()
    rows.push(...found)
  }
  return rows
}

/** Deletes all listings that a user's searches have found, with their prices, sightings and scores. */
export const deleteFinds = (db: Db, userId: string): Promise<void> =>
  transact(db, async (transaction) => {
    const own = transaction.selectFrom('listings').select('id').where('user_id', '=', userId)
    for (const table of listingTables) await transaction.deleteFrom(table).where('listing_id', 'in', own).execute()
    await transaction.deleteFrom('listings').where('user_id', '=', userId).execute()
  })
