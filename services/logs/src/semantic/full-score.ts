import { termsOfLeaf } from '../search/match.ts'
import { findLeaf, type Leaf, type Query } from '../search/query.ts'
import { inverseFrequency, type Statistics } from '../search/rank.ts'
import type { FoundEntry } from '../search/search.ts'
import { wordsOf } from '../segments/tokens.ts'

/**
 * What an entry with all words of a query would score, told from the best that there is: its score by the share of the words that it has, rare ones
 * counting more. Where the best has them all it is its own score; where it has one of many, that one word does not pass for an answer.
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
  const had = leaves.filter((leaf) => findLeaf(leaf, words) >= 0).reduce((sum, leaf) => sum + weightOf(leaf), 0)
  return had > 0 ? (best.score * all) / had : best.score
}
