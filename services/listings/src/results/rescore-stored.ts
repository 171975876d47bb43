import type { ListingRow } from '../found/store.ts'
import { findScore, type TrustScoreRow } from '../scoring/store.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { rescoreListing } from './rescore-listing.ts'
import type { ScoringDependencies } from './scored.ts'

const scoreNow = async (dependencies: ScoringDependencies, row: ListingRow): Promise<TrustScoreRow | undefined> => {
  // A search that has not been scored yet scores the listing itself.
  if ((await findScore(dependencies.db, row.id)) === undefined) return undefined
  const sellers = await sellersForUser(dependencies, row.user_id, [row.seller_platform_id])
  return rescoreListing(dependencies, row, { sellers })
}

const factsOf = ({ score_json }: TrustScoreRow): string => {
  const { scoredAt: _at, evidence: _evidence, ...facts } = JSON.parse(score_json)
  return JSON.stringify(facts)
}

/** How often a score is computed again because something has changed in the meantime. */
const maxRounds = 3

/**
 * Scores a listing again in the context of its last search, and saves the score. It is computed until it no longer changes: a search may be learning
 * about the seller concurrently, and would otherwise be overwritten with a score from before.
 */
export const rescoreStored = async (dependencies: ScoringDependencies, row: ListingRow): Promise<void> => {
  let last = await scoreNow(dependencies, row)
  for (let round = 1; last !== undefined && round < maxRounds; round++) {
    const again = await scoreNow(dependencies, row)
    if (again === undefined || factsOf(again) === factsOf(last)) return
    last = again
  }
}
