import { termsOfLeaf } from '../search/match.ts'
import { findLeaf, type Leaf, type Query } from '../search/query.ts'
import { inverseFrequency, type Statistics } from '../search/rank.ts'
import type { FoundEntry } from '../search/search.ts'
import { wordsOf } from '../segments/tokens.ts'

/**
 * Estimates the score of an entry with all words of a query from the best result: its score divided by the share of the words that it has, with
 * rare words weighing more. A result with all words keeps its score, and one with a single word of many does not rank as a full match.
 */
export const fullScoreOf = (best: FoundEntry | undefined, query: Query, statistics: Statistics): number => {
  if (!best || best.score <= 0) return 0
  const weightOf = (leaf: Leaf): number =>
    termsOfLeaf(leaf).reduce(
      (sum, { name }) => sum + inverseFrequency(statistics.documents, statistics.frequencies.get(name) ?? 0),
      0,
    )
  const words = wordsOf(best.entry.text)
  const leaves = query.clauses.flat()
  const all = leaves.reduce((sum, leaf) => sum + weightOf(leaf), 0)
  const matched = leaves.filter((leaf) => findLeaf(leaf, words) >= 0).reduce((sum, leaf) => sum + weightOf(leaf), 0)
  return matched > 0 ? (best.score * all) / matched : best.score
}
