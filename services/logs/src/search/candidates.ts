import { type Bitmap, createBitmap, documentsOf, hasBit, setBit, subtract } from '../segments/bitmap.ts'
import type { Part, RankColumns } from '../segments/part.ts'
import type { TimeSlices } from '../time-slices.ts'
import type { AbortCheck } from './abort-check.ts'
import { type Hit, type Offer, type Order, offerBitmap, offerDocuments, type Rank, type TopHits } from './hits.ts'
import type { FoundTerm, FoundTerms } from './match.ts'
import { scoreOf, type TermScores } from './rank.ts'

/**
 * Documents that contain the same terms of a query, each once, differ in score only by their lengths. There are few such classes, and the best score
 * of each is known in advance, so most documents are never examined. Documents that contain a term more than once are few, and are scored
 * individually.
 */
export type Candidates = {
  /** An upper bound of the documents' scores. */
  best: number
  offer: (top: TopHits, offer: Offer) => void
}

/** With more terms there are too many classes, so all documents are scored individually. */
const maxTerms = 4
const lengthCodes = 256
/** If fewer than one in this many documents match, individual scoring is faster. */
const fewMatches = 32

export type CandidateOptions = {
  matched: Bitmap
  /** The number of matched documents. */
  total: number
  documents: number
  found: FoundTerms
}

/** The contributions of terms to scores in summation order, and the scores of each combination of terms by length code. */
export type Scoring = {
  terms: readonly { name: string; ofTerm: TermScores }[]
  /** Bit `n` of `choice` is set if a document contains term `n` (once). */
  scoresOf: (choice: number) => Float64Array
}

/** Shared by all parts of a search; there are no terms if results are ordered by time. */
export const createScoring = (scores: ReadonlyMap<string, TermScores>): Scoring => {
  const terms = [...scores].map(([name, ofTerm]) => ({ name, ofTerm }))
  const known = new Map<number, Float64Array>()
  return {
    terms,
    scoresOf: (choice) => {
      const made = known.get(choice)
      if (made) return made
      const sums = new Float64Array(lengthCodes)
      terms.forEach(({ ofTerm }, term) => {
        if ((choice & (1 << term)) !== 0)
          for (let code = 0; code < lengthCodes; code++) sums[code] = (sums[code] ?? 0) + scoreOf(ofTerm, 1, code)
      })
      known.set(choice, sums)
      return sums
    },
  }
}

type Having = FoundTerm & { ofTerm: TermScores; choice: number }

export const createCandidates = (options: CandidateOptions, scoring: Scoring): Candidates[] => {
  const { matched, total, documents, found } = options
  const terms = scoring.terms.flatMap(({ name, ofTerm }, number): Having[] => {
    const term = found.get(name)
    return term ? [{ ...term, ofTerm, choice: 1 << number }] : []
  })
  if (terms.length > maxTerms || total * fewMatches < documents) return [scoredEach(matched, terms)]
  const repeated = repeatedAmong(matched, terms)
  const others = matched.slice()
  subtract(others, repeated)
  return [...classesOf(others, terms, scoring), scoredEach(repeated, terms)]
}

/** Documents that are scored individually, once. */
const scoredEach = (documents: Bitmap, terms: readonly Having[]): Candidates => {
  let scored: { documents: Uint32Array; scores: Float64Array } | undefined
  return {
    best: terms.reduce((sum, { ofTerm, max, min }) => sum + scoreOf(ofTerm, max, min), 0),
    offer: (top, offer) => {
      scored ??= scoreEach(documentsOf(documents), terms, offer.columns.lengthCodes)
      offerDocuments(top, offer, scored)
    },
  }
}

/** The matched documents that contain a term more than once. */
const repeatedAmong = (matched: Bitmap, terms: readonly Having[]): Bitmap => {
  const repeated = createBitmap(matched.length * 32)
  for (const { repeated: often } of terms) {
    const { documents } = often
    for (let index = 0; index < documents.length; index++) {
      const document = documents[index] ?? 0
      if (hasBit(matched, document)) setBit(repeated, document)
    }
  }
  return repeated
}

/** One class for each combination of terms. */
const classesOf = (documents: Bitmap, terms: readonly Having[], { scoresOf }: Scoring): Candidates[] =>
  Array.from({ length: 2 ** terms.length }, (_, number): Candidates => {
    const isIn = (term: number) => (number & (1 << term)) !== 0
    const having = terms.filter((_, term) => isIn(term))
    const scores = scoresOf(having.reduce((choice, term) => choice | term.choice, 0))
    return {
      best: scores[having.reduce((longest, { min }) => Math.max(longest, min), 0)] ?? 0,
      offer: (top, offer) => {
        const bitmap = documents.slice()
        terms.forEach((term, index) => {
          keep(bitmap, term.bitmap, isIn(index))
        })
        offerBitmap(top, offer, { bitmap, scores, shortest: longestOf(having, bitmap.length) })
      },
    }
  })

/** A lower bound of the length codes in each word of a bitmap: a document with several terms is at least as long as the shortest one with each. */
const longestOf = (terms: readonly Having[], words: number): Uint8Array => {
  const longest = new Uint8Array(words)
  for (const { shortest } of terms) {
    if (!shortest) continue
    for (let word = 0; word < words; word++) {
      const code = shortest[word] ?? 0
      if (code > (longest[word] ?? 0)) longest[word] = code
    }
  }
  return longest
}

/** Intersects a bitmap with another one, or subtracts the other. */
const keep = (bitmap: Bitmap, other: Bitmap, isIntersection: boolean): void => {
  const flipped = isIntersection ? 0 : -1
  for (let word = 0; word < bitmap.length; word++) bitmap[word] = (bitmap[word] ?? 0) & ((other[word] ?? 0) ^ flipped)
}

/** The scores of documents in ascending order, summed term by term. */
const scoreEach = (documents: Uint32Array, terms: readonly Having[], lengthCodes: Uint8Array) => {
  const scores = new Float64Array(documents.length)
  for (const { bitmap, repeated, ofTerm } of terms) {
    let next = 0
    for (let index = 0; index < documents.length; index++) {
      const document = documents[index] ?? 0
      if (!hasBit(bitmap, document)) continue
      while (next < repeated.documents.length && (repeated.documents[next] ?? 0) < document) next++
      const count = repeated.documents[next] === document ? (repeated.counts[next] ?? 1) : 1
      scores[index] = (scores[index] ?? 0) + scoreOf(ofTerm, count, lengthCodes[document] ?? 0)
    }
  }
  return { documents, scores }
}

/** The hits of a part, described without reading its columns. */
export type RankedPart = {
  number: number
  part: Pick<Part, 'firstTime' | 'lastTime'>
  /** An upper bound of their scores. */
  best: number
  /** Computes the exact highest score, if `best` is only an upper bound. */
  refine?: (() => Promise<number>) | undefined
  /** Returns the first `limit` hits from cached leaders, without reading a column; undefined if the leaders are too many to be cached. */
  lead?: ((limit: number) => Promise<readonly Hit[] | undefined>) | undefined
  /** Reads columns of the part, which takes time and memory. */
  open: () => Promise<{ columns: RankColumns; candidates: readonly Candidates[] }>
}

export type Paging = {
  order: Order
  after: Rank | undefined
  limit: number
  slices: TimeSlices
  signal: AbortCheck | undefined
}

type Waiting = RankedPart & { latest: number }

/** Offers the hits of parts, the most promising part first; parts that cannot contribute any more are skipped. */
export const offerBestFirst = async (
  top: TopHits,
  parts: readonly RankedPart[],
  { order, after, limit, slices, signal }: Paging,
): Promise<void> => {
  const latestOf = ({ part }: RankedPart) => (order === 'oldest' ? -part.firstTime : part.lastTime)
  const comesFirst = (one: Waiting, other: Waiting) => other.best - one.best || other.latest - one.latest
  const isPast = ({ best, latest }: Pick<Waiting, 'best' | 'latest'>): boolean => {
    const last = top.last()
    return last !== undefined && (best < last.score || (best === last.score && latest < last.time))
  }
  const waiting = parts.map((ranked): Waiting => ({ ...ranked, latest: latestOf(ranked) })).sort(comesFirst)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    signal?.throwIfAborted()
    if (isPast(next)) continue
    if (slices.isOver()) await slices.pause()
    if (next.refine) {
      const refined: Waiting = { ...next, best: await next.refine(), refine: undefined }
      const index = waiting.findIndex((other) => comesFirst(refined, other) <= 0)
      waiting.splice(index < 0 ? waiting.length : index, 0, refined)
      continue
    }
    const { number, latest } = next
    // Hits after a cursor may be beyond the leaders.
    const leaders = after === undefined ? await next.lead?.(limit) : undefined
    if (leaders) {
      for (const hit of leaders) top.offer(hit)
      continue
    }
    const { columns, candidates } = await next.open()
    for (const these of candidates.toSorted((one, other) => other.best - one.best)) {
      if (!isPast({ best: these.best, latest })) these.offer(top, { part: number, order, after, columns })
    }
  }
}
