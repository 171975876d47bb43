import { lengthOfCode } from '../segments/document-length.ts'
import type { Postings } from '../segments/part.ts'
import type { FoundTerms, Term } from './match.ts'

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) with the non-negative IDF
 * ln(1 + (N - n + 0.5) / (n + 0.5)). Statistics are those of the whole corpus, so a score is the same in whichever part a document lies.
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

/** What a document's length adds to the denominator, in words, as the average is. */
export const lengthNorm = (length: number, average: number): number =>
  saturation * (1 - lengthWeight + (lengthWeight * length) / average)

/** The same by the document's length code. */
const lengthNorms = ({ documents, words }: Statistics): Float64Array => {
  const average = Math.max(1, words / Math.max(1, documents))
  return Float64Array.from(lengthOfCode, (length) => lengthNorm(length, average))
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
  /** At least as many numbers as the part has documents, all 0, and so again afterwards. */
  scratch: Float64Array
}

/** The scores of matched documents, in their order. */
export const scoreDocuments = ({ documents, found, scores, lengthCodes, scratch }: RankOptions): Float64Array => {
  const sums = new Float64Array(documents.length)
  const having = [...scores].flatMap(([name, ofTerm]) => {
    const postings = found.get(name)
    return postings ? [{ postings, ofTerm }] : []
  })
  const [only] = having
  // One word without a filter: what matched is what has it, in the same order.
  if (having.length === 1 && only && only.postings.documents.length === documents.length) {
    scoreEach(sums, only.postings, only.ofTerm, lengthCodes)
    return sums
  }
  for (const { postings, ofTerm } of having) addScores(scratch, postings, ofTerm, lengthCodes)
  for (let index = 0; index < documents.length; index++) sums[index] = scratch[documents[index] ?? 0] ?? 0
  for (const { postings } of having) clear(scratch, postings.documents)
  return sums
}

/** The scores of one term, by place in its postings. */
const scoreEach = (
  sums: Float64Array,
  { documents, counts }: Postings,
  { table, inverse, norms }: TermScores,
  lengthCodes: Uint8Array,
): void => {
  const lengths = norms.length
  for (let index = 0; index < documents.length; index++) {
    const count = counts[index] ?? 1
    const code = lengthCodes[documents[index] ?? 0] ?? 0
    sums[index] =
      count < tabledCounts ? (table[count * lengths + code] ?? 0) : termScore(inverse, count, norms[code] ?? 1)
  }
}

const addScores = (
  sums: Float64Array,
  { documents, counts }: Postings,
  { table, inverse, norms }: TermScores,
  lengthCodes: Uint8Array,
): void => {
  const lengths = norms.length
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0
    const count = counts[index] ?? 1
    const code = lengthCodes[document] ?? 0
    const score =
      count < tabledCounts ? (table[count * lengths + code] ?? 0) : termScore(inverse, count, norms[code] ?? 1)
    sums[document] = (sums[document] ?? 0) + score
  }
}

/** Only what was written where that is little: most words are in few documents. */
const clear = (scratch: Float64Array, documents: Uint32Array): void => {
  if (documents.length * 8 > scratch.length) scratch.fill(0)
  else for (let index = 0; index < documents.length; index++) scratch[documents[index] ?? 0] = 0
}
