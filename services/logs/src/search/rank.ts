import { type Bitmap, hasBit } from '../segments/bitmap.ts'
import { lengthOfCode } from '../segments/document-length.ts'
import type { Part } from '../segments/part.ts'
import type { FoundTerms, Term } from './match.ts'

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with the non-negative IDF
 * ln(1 + (N - n + 0.5) / (n + 0.5)). Statistics are those of the whole corpus, so a score is the same in whichever part a document lies.
 */
const saturation = 1.2
const lengthWeight = 0.75

export type Statistics = { documents: number; words: number; frequencies: ReadonlyMap<string, number> }

export const gatherStatistics = (
  parts: readonly { part: Part; frequencies: ReadonlyMap<string, number> }[],
): Statistics => {
  const frequencies = new Map<string, number>()
  let documents = 0
  let words = 0
  for (const { part, frequencies: own } of parts) {
    documents += part.documents
    words += part.words
    for (const [name, count] of own) frequencies.set(name, (frequencies.get(name) ?? 0) + count)
  }
  return { documents, words, frequencies }
}

export const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

/** What a document's length adds to the denominator, by its length code. */
export const lengthNorms = ({ documents, words }: Statistics): Float64Array => {
  const average = Math.max(1, words / Math.max(1, documents))
  return Float64Array.from(
    lengthOfCode,
    (length) => saturation * (1 - lengthWeight + (lengthWeight * length) / average),
  )
}

/** The score of one term: `count` times in a document with this length norm. */
export const termScore = (inverse: number, count: number, norm: number): number =>
  (inverse * count * (saturation + 1)) / (count + norm)

type RankOptions = {
  documents: number
  matched: Bitmap
  found: FoundTerms
  terms: readonly Term[]
  statistics: Statistics
  norms: Float64Array
  lengthCodes: Uint8Array
}

/** The scores of matched documents, by document; others are 0. */
export const scoreDocuments = ({
  documents,
  matched,
  found,
  terms,
  statistics,
  norms,
  lengthCodes,
}: RankOptions): Float64Array => {
  const scores = new Float64Array(documents)
  for (const { name } of terms) {
    const postings = found.get(name)
    if (!postings) continue
    const inverse = inverseFrequency(statistics.documents, statistics.frequencies.get(name) ?? 0)
    const { documents: having, counts } = postings
    for (let index = 0; index < having.length; index++) {
      const document = having[index] ?? 0
      if (!hasBit(matched, document)) continue
      const norm = norms[lengthCodes[document] ?? 0] ?? 1
      scores[document] = (scores[document] ?? 0) + termScore(inverse, counts[index] ?? 1, norm)
    }
  }
  return scores
}
