import { carriesMeaning } from '../diagnose/keywords.ts'
import type { Leaf, Query } from '../search/query.ts'

/** Of a long text the beginning: each word costs time, and has its count in the cursor. */
const maxLeaves = 32

const says = ({ words }: Leaf): boolean => words.length > 1 || words.some(carriesMeaning)

/**
 * What may mean the same as a query: entries that have any of its words, other than those of the question itself. What is excluded stays
 * excluded. BM25 still puts those with most of the words first.
 */
export const loosenQuery = ({ clauses, excluded }: Query): Query => {
  const leaves = clauses.flat()
  const saying = leaves.filter(says)
  return { clauses: [(saying.length > 0 ? saying : leaves).slice(0, maxLeaves)], excluded }
}

/** A query as a sentence for a model: without the signs that tell a search what to do, and without what it rules out. */
export const sentenceOf = (q: string): string =>
  q
    .replace(/(^|\s)-(?:"[^"]*"|\S+)/g, ' ')
    .replace(/"|\*(?=\s|$)/g, ' ')
    .replace(/(^|\s)OR(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
