import { carriesMeaning } from '../diagnose/keywords.ts'
import type { Leaf, Query } from '../search/query.ts'

/** Only the beginning of a long text is used: each word takes time, and its count is stored in the cursor. */
const maxLeaves = 32

const namesSomething = ({ words }: Leaf): boolean => words.length > 1 || words.some(carriesMeaning)

/**
 * The candidates for a query: entries that have any of its words, except question words. Exclusions still apply. BM25 ranks entries with most of
 * the words first.
 */
export const loosenQuery = ({ clauses, excluded }: Query): Query => {
  const leaves = clauses.flat()
  const naming = leaves.filter(namesSomething)
  return { clauses: [(naming.length > 0 ? naming : leaves).slice(0, maxLeaves)], excluded }
}

/** A query as a sentence for a model: without operators and excluded words. */
export const sentenceOf = (q: string): string =>
  q
    .replace(/(^|\s)-(?:"[^"]*"|\S+)/g, ' ')
    .replace(/"|\*(?=\s|$)/g, ' ')
    .replace(/(^|\s)OR(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
