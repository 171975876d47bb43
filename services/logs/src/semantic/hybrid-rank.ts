import { rankOfEntry } from '../branches/merge-results.ts'
import { compareRanks, type Position } from '../search/hits.ts'
import type { FoundEntry } from '../search/search.ts'

/** Weights of words and meaning. */
export const hybridWeights = { words: 0.6, meaning: 0.4 }

/** Number of candidates per page. */
export const poolSize = (limit: number): number => Math.max(100, 5 * limit)

/** 0 to 1: the score by words relative to a full match, and the cosine, with negative ones counting as 0. */
export const hybridScore = (score: number, best: number, cosine: number): number =>
  hybridWeights.words * (best > 0 ? Math.min(1, score / best) : 0) + hybridWeights.meaning * Math.max(0, cosine)

export const positionOfFound = ({ entry, score }: FoundEntry): Position => ({
  ...rankOfEntry(entry, score, 'relevance'),
  shard: entry.origin.branch ?? '',
})

/** Negative if `left` comes first: by rank, and for equal ranks of several stores by the name of the store. */
export const comparePositions = (left: Position, right: Position): number => {
  const [one, other] = [left.shard ?? '', right.shard ?? '']
  return compareRanks(left, right) || (one === other ? 0 : one < other ? -1 : 1)
}
