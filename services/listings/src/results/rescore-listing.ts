import { findComp, type StoredComp } from '../comps/store.ts'
import type { ListingRow } from '../found/store.ts'
import { contextOf, findScore, type StoredContext, type TrustScoreRow } from '../scoring/store.ts'
import type { SellerRow } from '../sellers/store.ts'
import { batchFrom, type ScoringDependencies, scoreRows } from './scored.ts'

export type RescoreOptions = {
  readonly sellers: ReadonlyMap<string, SellerRow>
  /** Queries for the comparison price: the first that has a stored one is used, and the last is remembered. Default: that of the last search. */
  readonly queries?: (lastQuery: string) => readonly string[]
}

/** The stored price of the first query that has one. */
const firstComp = async (
  { db, config, now }: ScoringDependencies,
  queries: readonly string[],
): Promise<StoredComp | undefined> => {
  for (const query of queries) {
    const comp = await findComp(db, config.platform, query, now())
    if (comp !== undefined && comp.medianPrice !== null) return comp
  }
  return undefined
}

/**
 * Scores a listing again in the context of its last search, and saves the score. Without a stored comparison price it uses that of its last score.
 */
export const rescoreListing = async (
  dependencies: ScoringDependencies,
  row: ListingRow,
  { sellers, queries = (lastQuery) => [lastQuery] }: RescoreOptions,
): Promise<TrustScoreRow | undefined> => {
  const before = await findScore(dependencies.db, row.id)
  const context: StoredContext =
    before === undefined ? { priceVariation: null, hasDuplicatePhoto: false, compQuery: row.title } : contextOf(before)
  const candidates = queries(context.compQuery)
  const scores = await scoreRows(dependencies, [row], sellers, {
    batch: batchFrom(row, context),
    comp: await firstComp(dependencies, candidates),
    earlierMarket: context.market,
    compQuery: candidates.at(-1) ?? context.compQuery,
  })
  return scores.get(row.platform_listing_id)
}
