import { findComp } from '../comps/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ListingRow } from '../found/store.ts'
import { contextOf, findScore, type StoredContext, type TrustScoreRow } from '../scoring/store.ts'
import type { SellerRow } from '../sellers/store.ts'
import { batchFrom, scoreRows } from './scored.ts'

/**
 * Rescores a listing with the stored comp of `query`, or without a query with that of its title, else of its last search.
 * Without a stored comp it uses the market price of its last score. It reuses the batch context of the listing's last search.
 */
export const rescoreListing = async (
  dependencies: Dependencies,
  row: ListingRow,
  sellers: ReadonlyMap<string, SellerRow>,
  query: string,
): Promise<TrustScoreRow | undefined> => {
  const { db, config, now } = dependencies
  const before = await findScore(db, row.id)
  const context: StoredContext =
    before === undefined ? { priceVariation: null, hasDuplicatePhoto: false, compQuery: row.title } : contextOf(before)
  const candidates = query.trim() === '' ? [row.title, context.compQuery] : [query.trim()]
  let comp: Awaited<ReturnType<typeof findComp>>
  for (const candidate of candidates) {
    const found = comp === undefined ? await findComp(db, config.platform, candidate, now()) : undefined
    if (found !== undefined && found.medianPrice !== null) comp = found
  }
  const scores = await scoreRows(dependencies, [row], sellers, {
    batch: batchFrom(row, context),
    comp,
    earlierMarket: context.market,
    compQuery: query.trim() || context.compQuery,
  })
  return scores.get(row.platform_listing_id)
}
