import { rankOfEntry } from '../branches/merge-results.ts'
import { compareRanks, type Place } from '../search/hits.ts'
import type { FoundEntry } from '../search/search.ts'

/** How much words and meaning count. */
export const hybridWeights = { words: 0.6, meaning: 0.4 }

/** So many candidates are looked at for a page. */
export const poolSize = (limit: number): number => Math.max(100, 5 * limit)

/** 0 to 1: the score by words as a share of that for all the words, and the cosine, of which what is opposite counts as nothing. */
export const hybridScore = (score: number, best: number, cosine: number): number =>
  hybridWeights.words * (best > 0 ? Math.min(1, score / best) : 0) + hybridWeights.meaning * Math.max(0, cosine)

export const placeOfFound = ({ entry, score }: FoundEntry): Place => ({
  ...rankOfEntry(entry, score, 'relevance'),
  shard: entry.origin.branch ?? '',
})

/** Negative when `left` comes first: as entries are ordered, and between equals of several stores by the store's name. */
export const comparePlaces = (left: Place, right: Place): number => {
  const [one, other] = [left.shard ?? '', right.shard ?? '']
  return compareRanks(left, right) || (one === other ? 0 : one < other ? -1 : 1)
}
