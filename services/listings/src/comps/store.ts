import type { Db } from '../store/tables.ts'
import { expiresAt, type MarketComp, queryHash } from './comps.ts'

/** A stored market price. Prices without a median are not stored. */
export type StoredComp = MarketComp & { readonly fetchedAt: string; readonly expiresAt: string }

/** The stored market price of a query, unless it has expired. */
export const findComp = async (db: Db, platform: string, query: string, now: Date): Promise<StoredComp | undefined> => {
  const row = await db
    .selectFrom('comps')
    .selectAll()
    .where('platform', '=', platform)
    .where('query_hash', '=', queryHash(query))
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return row === undefined
    ? undefined
    : {
        medianPrice: row.median_price,
        quartiles: JSON.parse(row.quartiles_json) as [number, number],
        sampleCount: row.sample_count,
        currency: row.currency,
        fetchedAt: row.fetched_at,
        expiresAt: row.expires_at,
      }
}

/** Stores a query's market price for six hours. Prices without a median are not stored. */
export const saveComp = async (db: Db, platform: string, query: string, comp: MarketComp, now: Date): Promise<void> => {
  const { medianPrice, quartiles, currency, sampleCount } = comp
  if (medianPrice === null || quartiles === null || currency === null || medianPrice <= 0) return
  const values = {
    query,
    median_price: medianPrice,
    quartiles_json: JSON.stringify(quartiles),
    currency,
    sample_count: sampleCount,
    fetched_at: now.toISOString(),
    expires_at: expiresAt(now).toISOString(),
  }
  await db
    .insertInto('comps')
    .values({ platform, query_hash: queryHash(query), ...values })
    .onConflict((conflict) => conflict.columns(['platform', 'query_hash']).doUpdateSet(values))
    .execute()
}
