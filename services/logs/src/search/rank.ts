import { lengthOfCode } from '../segments/document-length.ts'
import type { Part, Postings } from '../segments/part.ts'
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
const lengthNorms = ({ documents, words }: Statistics): Float64Array => {
  const average = Math.max(1, words / Math.max(1, documents))
  return Float64Array.from(
    lengthOfCode,
    (length) => saturation * (1 - lengthWeight + (lengthWeight * length) / average),
  )
}

/** The score of one term: `count` times in a document with this length norm. */
export const termScore = (inverse: number, count: number, norm: number): number =>
  (inverse * count * (saturation + 1)) / (count + norm)

/** Counts below this have their scores made once for each length; it spares a division a posting. */
const tabledCounts = 4

/** The scores of a term by count and length code: `tabledCounts` rows of as many as there are codes. Higher counts are worked out. */
export type TermScores = { table: Float64Array; inverse: number; norms: Float64Array }

const createTermScores = (inverse: number, norms: Float64Array): TermScores => {
  const lengths = norms.length
  const table = new Float64Array(tabledCounts * lengths)
  for (let index = 0; index < table.length; index++) {
    table[index] = termScore(inverse, Math.floor(index / lengths), norms[index % lengths] ?? 1)
  }
  return { table, inverse, norms }
}

/** For each term what it adds to a document's score, by the term's name. */
export const scoresOfTerms = (terms: readonly Term[], statistics: Statistics): ReadonlyMap<string, TermScores> => {
  const norms = lengthNorms(statistics)
  return new Map(
    terms.map(({ name }) => [
      name,
      createTermScores(inverseFrequency(statistics.documents, statistics.frequencies.get(name) ?? 0), norms),
    ]),
  )
}

type RankOptions = {
  /** What matched, ascending. */
  documents: Uint32Array
  found: FoundTerms
  scores: ReadonlyMap<string, TermScores>
  lengthCodes: Uint8Array
}

/** The scores of matched documents, in their order. */
export const scoreDocuments = ({ documents, found, scores, lengthCodes }: RankOptions): Float64Array => {
  const sums = new Float64Array(documents.length)
  for (const [name, ofTerm] of scores) {
    const postings = found.get(name)
    if (postings) addScores(sums, documents, postings, ofTerm, lengthCodes)
  }
  return sums
}

/** Both are ascending: one pass over both finds what they share. */
const addScores = (
  sums: Float64Array,
  documents: Uint32Array,
  { documents: having, counts }: Postings,
  { table, inverse, norms }: TermScores,
  lengthCodes: Uint8Array,
): void => {
  const lengths = norms.length
  let place = 0
  for (let index = 0; index < having.length; index++) {
    const document = having[index] ?? 0
    while (place < documents.length && (documents[place] ?? 0) < document) place++
    if (place === documents.length) return
    if (documents[place] !== document) continue
    const count = counts[index] ?? 1
    const code = lengthCodes[document] ?? 0
    const score =
      count < tabledCounts ? (table[count * lengths + code] ?? 0) : termScore(inverse, count, norms[code] ?? 1)
    sums[place] = (sums[place] ?? 0) + score
  }
}
