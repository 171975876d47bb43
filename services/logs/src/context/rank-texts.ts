import { inverseFrequency, lengthNorm, termScore } from '../search/rank.ts'
import { wordsOf } from '../segments/tokens.ts'

/** How often each word of a text occurs, and its total number of words. */
export type WordCounts = { counts: ReadonlyMap<string, number>; length: number }

/** Counts the words of several texts together, multiplied by the weight of their text. */
export const countWords = (texts: readonly { text: string; weight: number }[]): WordCounts => {
  const counts = new Map<string, number>()
  let length = 0
  for (const { text, weight } of texts) {
    for (const word of wordsOf(text)) {
      counts.set(word, (counts.get(word) ?? 0) + weight)
      length += weight
    }
  }
  return { counts, length }
}

export type Scored<Item> = { item: Item; score: number }

/**
 * The items that contain any of the words, best first, by BM25 with the constants of the entry search. Scans all items: for a few thousand
 * that is faster than maintaining postings.
 */
export const rankTexts = <Item extends { words: WordCounts }>(
  items: readonly Item[],
  words: readonly string[],
): Scored<Item>[] => {
  const total = items.reduce((sum, item) => sum + item.words.length, 0)
  const average = Math.max(1, total / Math.max(1, items.length))
  const terms = [...new Set(words)].map((word) => {
    const frequency = items.reduce((sum, item) => sum + (item.words.counts.has(word) ? 1 : 0), 0)
    return { word, inverse: inverseFrequency(items.length, frequency) }
  })
  return items
    .map((item) => {
      const norm = lengthNorm(item.words.length, average)
      const score = terms.reduce((sum, { word, inverse }) => {
        const count = item.words.counts.get(word)
        return count === undefined ? sum : sum + termScore(inverse, count, norm)
      }, 0)
      return { item, score }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
}
