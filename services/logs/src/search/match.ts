import { type Bitmap, intersect, setBit, subtract, unite } from '../segments/bitmap.ts'
import { bitmapOf, type Occurrences } from '../segments/occurrences.ts'
import type { Part } from '../segments/part.ts'
import { type Leaf, leavesOf, type Query } from './query.ts'

/** A word of a query, or the beginning of words, under the name that ranking sums it by. */
export type Term = { name: string; word: string; isPrefix: boolean }

const termOf = (word: string, isPrefix: boolean): Term => ({ name: isPrefix ? `${word}*` : word, word, isPrefix })

export const termsOfLeaf = ({ words, isPrefix }: Leaf): Term[] =>
  words.map((word, index) => termOf(word, isPrefix && index === words.length - 1))

const distinct = (terms: Term[]): Term[] => [...new Map(terms.map((term) => [term.name, term])).values()]

export const termsOf = (query: Query): Term[] => distinct(leavesOf(query).flatMap(termsOfLeaf))

/** The terms that count for the score, in the order in which they are summed. */
export const scoringTerms = (query: Query): Term[] => distinct(query.clauses.flat().flatMap(termsOfLeaf))

/** What of a part has a term, as a search goes by it. Bitmaps may be a segment's own and are not to be changed. */
export type FoundTerm = Pick<Occurrences, 'total' | 'repeated' | 'max' | 'min' | 'in'> & {
  /** Made when it is asked for. */
  readonly bitmap: Bitmap
  /** By word of the bitmap: no document in it has a lower length code. Absent where that is not known. */
  shortest: Uint8Array | undefined
}

/** The terms of a query that a part has, by their names. */
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

/** Whether a part can have what a query asks for, by which of its terms are there at all. */
export const mayMatch = ({ clauses }: Query, found: FoundTerms): boolean =>
  clauses.every((clause) => clause.some((leaf) => hasAll(leaf, found)))

/** Documents that have all words of a leaf, wherever they stand; undefined where a word is nowhere. Not to be changed. */
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

/** Documents that have one leaf at least. Not to be changed. */
const clauseBitmap = (clause: readonly Leaf[], found: FoundTerms): Bitmap | undefined => {
  const [first, ...others] = clause.filter((leaf) => hasAll(leaf, found))
  const bitmap = first && leafBitmap(first, found)
  if (!bitmap || others.length === 0) return bitmap
  const either = bitmap.slice()
  for (const other of others) addLeaf(either, other, found)
  return either
}

/** Of hundreds of words most are rare: their documents are told one by one. */
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

/** A query whose leaves of several words have to be looked for in the texts. */
export const needsTexts = (query: Query): boolean => leavesOf(query).some(isPhrase)

/**
 * Those of what `matchTerms` has let through of which only the text tells whether they match: they have all words of an excluded phrase, or
 * nothing but the words of phrases for a clause.
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

/** Takes away from `passing` what the words alone rule out. Leaves of several words are taken as having them anywhere. */
export const matchTerms = (query: Query, found: FoundTerms, passing: Bitmap): void => {
  for (const clause of query.clauses) {
    const having = clauseBitmap(clause, found)
    if (having) intersect(passing, having)
    else passing.fill(0)
  }
  for (const leaf of query.excluded) {
    // Words that stand apart do not make the excluded phrase: only the text can tell.
    const having = isPhrase(leaf) ? undefined : leafBitmap(leaf, found)
    if (having) subtract(passing, having)
  }
}
