import { type Bitmap, createBitmap, documentsOf, hasBit, setBit, subtract } from '../segments/bitmap.ts'
import type { PartColumns } from '../segments/part.ts'
import { type Offer, offerBitmap, offerDocuments, type TopHits } from './hits.ts'
import type { FoundTerm, FoundTerms } from './match.ts'
import { scoreOf, type TermScores } from './rank.ts'

/**
 * Documents that have the same terms of a query, each of them once, differ in their scores by their lengths alone. There are few such
 * classes, and of each it is known how good its best can be: of most no document is looked at. Those that have a term more often are few,
 * and scored one by one.
 */
export type Candidates = {
  /** Best first. */
  classes: readonly ScoreClass[]
  /** Offers what is in none of the classes. */
  offerOthers: (top: TopHits, offer: Offer) => void
}

/** Documents that may be hits as long as the last of those that are kept is no better than `best`. */
export type ScoreClass = { best: number; offer: (top: TopHits, offer: Offer) => void }

/** With more terms there are too many classes: all is scored one by one. */
const mostTerms = 4
const lengthCodes = 256
/** Fewer matches than one in so many documents are scored faster one by one. */
const fewMatches = 32

export type CandidateOptions = {
  matched: Bitmap
  /** How many documents matched. */
  total: number
  documents: number
  columns: PartColumns
  found: FoundTerms
}

/** What terms add to scores, in the order in which they are summed, and the scores of each choice of them by length code. */
export type Scoring = {
  terms: readonly { name: string; ofTerm: TermScores }[]
  /** Bit `n` of `choice` stands for term `n`, of which a document has one. */
  scoresOf: (choice: number) => Float64Array
}

/** The same for all parts of a search; no terms where time alone orders. */
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

export const createCandidates = (options: CandidateOptions, scoring: Scoring): Candidates => {
  const { matched, total, documents, columns, found } = options
  const terms = scoring.terms.flatMap(({ name, ofTerm }, number): Having[] => {
    const term = found.get(name)
    return term ? [{ ...term, ofTerm, choice: 1 << number }] : []
  })
  const classified = terms.length > mostTerms || total * fewMatches < documents ? undefined : matched.slice()
  const others = classified ? repeatedAmong(matched, terms) : matched
  if (classified) subtract(classified, others)
  let scored: { documents: Uint32Array; scores: Float64Array } | undefined
  return {
    classes: classified ? classesOf(classified, terms, scoring) : [],
    offerOthers: (top, offer) => {
      scored ??= scoreEach(documentsOf(others), terms, columns.lengthCodes)
      offerDocuments(top, offer, scored)
    },
  }
}

/** Those of the documents that have a term more than once. */
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

/** One class for each choice of terms. */
const classesOf = (documents: Bitmap, terms: readonly Having[], { scoresOf }: Scoring): ScoreClass[] =>
  Array.from({ length: 2 ** terms.length }, (_, number): ScoreClass => {
    const isIn = (term: number) => (number & (1 << term)) !== 0
    const having = terms.filter((_, term) => isIn(term))
    const scores = scoresOf(having.reduce((choice, term) => choice | term.choice, 0))
    return {
      best: scores[having.reduce((longest, { least }) => Math.max(longest, least), 0)] ?? 0,
      offer: (top, offer) => {
        const bitmap = documents.slice()
        terms.forEach((term, index) => {
          keep(bitmap, term.bitmap, isIn(index))
        })
        offerBitmap(top, offer, { bitmap, scores, shortest: longestOf(having, bitmap.length) })
      },
    }
  })

/** What has several terms is no shorter than the shortest of any of them: by word of the bitmaps. */
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

/** Keeps what is in another bitmap, or what is not. */
const keep = (bitmap: Bitmap, other: Bitmap, isWanted: boolean): void => {
  const flipped = isWanted ? 0 : -1
  for (let word = 0; word < bitmap.length; word++) bitmap[word] = (bitmap[word] ?? 0) & ((other[word] ?? 0) ^ flipped)
}

/** The scores of documents, ascending ones, summed term by term. */
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

/** Offers candidates of parts; what is likely to come first goes first. */
export const offerBestFirst = (top: TopHits, all: readonly { candidates: Candidates; offer: Offer }[]): void => {
  const inOrder = all[0]?.offer.order === 'oldest' ? all : all.toReversed()
  const classes = inOrder
    .flatMap(({ candidates, offer }) => candidates.classes.map((scoreClass) => ({ ...scoreClass, to: offer })))
    .toSorted((a, b) => b.best - a.best)
  for (const { best, offer, to } of classes) {
    const last = top.last()
    if (last !== undefined && best < last.score) break
    offer(top, to)
  }
  for (const { candidates, offer } of inOrder) candidates.offerOthers(top, offer)
}
