import { type Bitmap, intersect, setBit, subtract, unite } from '../segments/bitmap.ts'
import { bitmapOf, type Occurrences } from '../segments/occurrences.ts'
import type { Part } from '../segments/part.ts'
import { type Leaf, leavesOf, type Query } from './query.ts'

/** A word or prefix of a query, with the name by which ranking sums it. */
export type Term = { name: string; word: string; isPrefix: boolean }

const termOf = (word: string, isPrefix: boolean): Term => ({ name: isPrefix ? `${word}*` : word, word, isPrefix })

export const termsOfLeaf = ({ words, isPrefix }: Leaf): Term[] =>
  words.map((word, index) => termOf(word, isPrefix && index === words.length - 1))

const distinct = (terms: Term[]): Term[] => [...new Map(terms.map((term) => [term.name, term])).values()]

export const termsOf = (query: Query): Term[] => distinct(leavesOf(query).flatMap(termsOfLeaf))

/** The terms that contribute to the score, in summation order. */
export const scoringTerms = (query: Query): Term[] => distinct(query.clauses.flat().flatMap(termsOfLeaf))

/** The occurrences of a term in a part. Bitmaps may belong to a segment and must not be modified. */
export type FoundTerm = Pick<Occurrences, 'total' | 'repeated' | 'max' | 'min' | 'in'> & {
  /** Created on first use. */
  readonly bitmap: Bitmap
  /** For each word of the bitmap, a lower bound of its documents' length codes. Absent if unknown. */
  shortest: Uint8Array | undefined
}

/** The terms of a query that a part contains, by name. */
export type FoundTerms = ReadonlyMap<string, FoundTerm>

const foundTermOf = (occurrences: Occurrences, documents: number): FoundTerm => {
  let made: Bitmap | undefined
  return {
    ...occurrences,
    get bitmap() {
      made ??= bitmapOf(occurrences, documents)
      return made
    },
    shortest: occurrences.in.kind === 'bitmap' ? occurrences.in.shortest : undefined,
  }
}

export const findTerms = async (part: Part, terms: readonly Term[]): Promise<FoundTerms> => {
  const found = new Map<string, FoundTerm>()
  const all = await Promise.all(
    terms.map(({ word, isPrefix }) => (isPrefix ? part.lookupPrefix(word) : part.lookup(word))),
  )
  terms.forEach(({ name }, index) => {
    const occurrences = all[index]
    if (occurrences) found.set(name, foundTermOf(occurrences, part.documents))
  })
  return found
}

const hasAll = (leaf: Leaf, found: FoundTerms): boolean => termsOfLeaf(leaf).every(({ name }) => found.has(name))

/** Whether a part may contain matches, judged by which of the query's terms it contains. */
export const mayMatch = ({ clauses }: Query, found: FoundTerms): boolean =>
  clauses.every((clause) => clause.some((leaf) => hasAll(leaf, found)))

/** Documents that contain all words of a leaf in any position; undefined if a word does not occur. Must not be modified. */
const leafBitmap = (leaf: Leaf, found: FoundTerms): Bitmap | undefined => {
  const bitmaps = termsOfLeaf(leaf).map(({ name }) => found.get(name)?.bitmap)
  const [first, ...others] = bitmaps
  if (!first || others.length === 0) return first
  const both = first.slice()
  for (const other of others) {
    if (!other) return undefined
    intersect(both, other)
  }
  return both
}

/** Documents that contain at least one leaf. Must not be modified. */
const clauseBitmap = (clause: readonly Leaf[], found: FoundTerms): Bitmap | undefined => {
  const [first, ...others] = clause.filter((leaf) => hasAll(leaf, found))
  const bitmap = first && leafBitmap(first, found)
  if (!bitmap || others.length === 0) return bitmap
  const either = bitmap.slice()
  for (const other of others) addLeaf(either, other, found)
  return either
}

/** Adds the documents of a leaf. Of hundreds of words most are rare, and their documents are in a list. */
const addLeaf = (target: Bitmap, leaf: Leaf, found: FoundTerms): void => {
  const [term, ...more] = termsOfLeaf(leaf)
  const where = term && more.length === 0 ? found.get(term.name)?.in : undefined
  if (where?.kind === 'list') {
    for (let index = 0; index < where.documents.length; index++) setBit(target, where.documents[index] ?? 0)
    return
  }
  const bitmap = leafBitmap(leaf, found)
  if (bitmap) unite(target, bitmap)
}

const isPhrase = (leaf: Leaf): boolean => leaf.words.length > 1

/** Whether a query has leaves of several words, which require checking texts. */
export const needsTexts = (query: Query): boolean => leavesOf(query).some(isPhrase)

/**
 * The documents that passed `matchTerms` and whose text decides whether they match: they contain all words of an excluded phrase, or
 * match a clause only by the words of its phrases.
 */
export const doubtfulAmong = (query: Query, found: FoundTerms, matched: Bitmap): Bitmap => {
  const doubtful: Bitmap = new Uint32Array(matched.length)
  for (const clause of query.clauses) {
    if (!clause.some(isPhrase)) continue
    const unsure = matched.slice()
    const having = clauseBitmap(
      clause.filter((leaf) => !isPhrase(leaf)),
      found,
    )
    if (having) subtract(unsure, having)
    unite(doubtful, unsure)
  }
  for (const leaf of query.excluded) {
    const having = isPhrase(leaf) ? leafBitmap(leaf, found) : undefined
    if (!having) continue
    const unsure = matched.slice()
    intersect(unsure, having)
    unite(doubtful, unsure)
  }
  return doubtful
}

/** Removes from `passing` the documents that the words alone rule out. Leaves of several words match documents that contain them anywhere. */
export const matchTerms = (query: Query, found: FoundTerms, passing: Bitmap): void => {
  for (const clause of query.clauses) {
    const having = clauseBitmap(clause, found)
    if (having) intersect(passing, having)
    else passing.fill(0)
  }
  for (const leaf of query.excluded) {
    // Words in other positions do not form the excluded phrase: only the text decides.
    const having = isPhrase(leaf) ? undefined : leafBitmap(leaf, found)
    if (having) subtract(passing, having)
  }
}
