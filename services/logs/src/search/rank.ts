import { lengthOfCode } from '../segments/document-length.ts'
import type { Term } from './match.ts'

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with the non-negative IDF
 * ln(1 + (N - n + 0.5) / (n + 0.5)). Statistics are those of the whole corpus, so a score does not depend on the part that contains the document.
 */
const saturation = 1.2
const lengthWeight = 0.75

export type Statistics = { documents: number; words: number; frequencies: ReadonlyMap<string, number> }

export const gatherStatistics = (
  parts: readonly { documents: number; words: number; frequencies: ReadonlyMap<string, number> }[],
): Statistics => {
  const frequencies = new Map<string, number>()
  let documents = 0
  let words = 0
  for (const { documents: having, words: all, frequencies: own } of parts) {
    documents += having
    words += all
    for (const [name, count] of own) frequencies.set(name, (frequencies.get(name) ?? 0) + count)
  }
  return { documents, words, frequencies }
}

export const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

/** The contribution of a document's length to the denominator; `length` and `average` are in words. */
export const lengthNorm = (length: number, average: number): number =>
  saturation * (1 - lengthWeight + (lengthWeight * length) / average)

/** The length norms by length code. */
const lengthNorms = ({ documents, words }: Statistics): Float64Array => {
  const average = Math.max(1, words / Math.max(1, documents))
  return Float64Array.from(lengthOfCode, (length) => lengthNorm(length, average))
}

/** The score of one term that occurs `count` times in a document with this length norm. */
export const termScore = (inverse: number, count: number, norm: number): number =>
  (inverse * count * (saturation + 1)) / (count + norm)

/** Scores of lower counts are precomputed for each length, which saves a division per posting. */
const tabledCounts = 4

/** The scores of a term by count and length code: `tabledCounts` rows with a column per code. Scores of higher counts are computed. */
export type TermScores = { table: Float64Array; inverse: number; norms: Float64Array }

const createTermScores = (inverse: number, norms: Float64Array): TermScores => {
  const lengths = norms.length
  const table = new Float64Array(tabledCounts * lengths)
  for (let index = 0; index < table.length; index++) {
    table[index] = termScore(inverse, Math.floor(index / lengths), norms[index % lengths] ?? 1)
  }
  return { table, inverse, norms }
}

/** The contribution of each term to a document's score, by the term's name. */
export const scoresOfTerms = (terms: readonly Term[], statistics: Statistics): ReadonlyMap<string, TermScores> => {
  const norms = lengthNorms(statistics)
  return new Map(
    terms.map(({ name }) => [
      name,
      createTermScores(inverseFrequency(statistics.documents, statistics.frequencies.get(name) ?? 0), norms),
    ]),
  )
}

/** The contribution of a term that occurs `count` times in a document with this length code. */
export const scoreOf = ({ table, inverse, norms }: TermScores, count: number, code: number): number =>
  count < tabledCounts ? (table[count * norms.length + code] ?? 0) : termScore(inverse, count, norms[code] ?? 1)

/** The maximum count and minimum length code of a term in a part, which bound its contribution to any score. */
export type TermBound = { name: string; max: number; min: number }

/** The highest score that a document within the bounds can have. */
export const highestScore = (bounds: readonly TermBound[], scores: ReadonlyMap<string, TermScores>): number =>
  bounds.reduce((sum, { name, max, min }) => {
    const ofTerm = scores.get(name)
    return ofTerm ? sum + scoreOf(ofTerm, max, min) : sum
  }, 0)
