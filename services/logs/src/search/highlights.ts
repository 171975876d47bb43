import { tokenize } from '../segments/tokens.ts'
import { findLeaf, type Query } from './query.ts'

const maxHighlights = 200

/** The ranges of a query's words and phrases in a text, in UTF-16 units; ascending, not overlapping, at most two hundred. */
export const highlightsOf = (query: Query, text: string): [number, number][] => {
  const tokens = tokenize(text)
  const words = tokens.map((token) => token.text)
  const ranges: [number, number][] = []
  for (const leaf of query.clauses.flat()) {
    for (let at = findLeaf(leaf, words); at >= 0; at = findLeaf(leaf, words, at + 1)) {
      const [first, last] = [tokens[at], tokens[at + leaf.words.length - 1]]
      if (first && last) ranges.push([first.start, last.end])
      if (ranges.length >= maxHighlights) break
    }
  }
  return withoutOverlaps(ranges)
}

const withoutOverlaps = (ranges: [number, number][]): [number, number][] => {
  const merged: [number, number][] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged.slice(0, maxHighlights)
}
