import { type Bitmap, createBitmap, intersect, setBit, subtract, unite } from '../segments/bitmap.ts'
import type { Part, Postings } from '../segments/part.ts'
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

/** Words that begin alike, taken as one word: a document has it as often as it has all of them. */
const mergePostings = (all: readonly Postings[], documents: number): Postings | undefined => {
  const [first] = all
  if (all.length <= 1) return first
  const counts = new Uint8Array(documents)
  let total = 0
  for (const { documents: having, counts: times } of all) {
    for (let index = 0; index < having.length; index++) {
      const document = having[index] ?? 0
      const known = counts[document] ?? 0
      if (known === 0) total++
      counts[document] = Math.min(255, known + (times[index] ?? 0))
    }
  }
  const merged = { documents: new Uint32Array(total), counts: new Uint8Array(total) }
  let found = 0
  for (let document = 0; document < documents; document++) {
    const count = counts[document] ?? 0
    if (count === 0) continue
    merged.documents[found] = document
    merged.counts[found++] = count
  }
  return merged
}

/** The postings of a query's terms in one part; a term that is nowhere is absent. */
export type FoundTerms = ReadonlyMap<string, Postings>

export const findTerms = async (part: Part, terms: readonly Term[]): Promise<FoundTerms> => {
  const found = new Map<string, Postings>()
  const postings = await Promise.all(
    terms.map(async ({ word, isPrefix }) =>
      isPrefix ? mergePostings(await part.lookupPrefix(word), part.documents) : part.lookup(word),
    ),
  )
  terms.forEach((term, index) => {
    const these = postings[index]
    if (these) found.set(term.name, these)
  })
  return found
}

const bitmapOf = (postings: Postings | undefined, documents: number): Bitmap => {
  const bitmap = createBitmap(documents)
  if (!postings) return bitmap
  const all = postings.documents
  for (let index = 0; index < all.length; index++) setBit(bitmap, all[index] ?? 0)
  return bitmap
}

/** Documents that have all words of a leaf, wherever they stand. */
const leafBitmap = (leaf: Leaf, found: FoundTerms, documents: number): Bitmap => {
  const bitmaps = termsOfLeaf(leaf).map((term) => bitmapOf(found.get(term.name), documents))
  const [first = createBitmap(documents), ...others] = bitmaps
  for (const other of others) intersect(first, other)
  return first
}

/** A query whose leaves of several words have to be looked for in the texts. */
export const needsTexts = (query: Query): boolean => leavesOf(query).some((leaf) => leaf.words.length > 1)

/** Takes away from `passing` what the words alone rule out. Leaves of several words are taken as having them anywhere. */
export const matchTerms = (query: Query, found: FoundTerms, documents: number, passing: Bitmap): void => {
  for (const clause of query.clauses) {
    const [first, ...others] = clause.map((leaf) => leafBitmap(leaf, found, documents))
    if (!first) continue
    for (const other of others) unite(first, other)
    intersect(passing, first)
  }
  for (const leaf of query.excluded) {
    // Words that stand apart do not make the excluded phrase: only the text can tell.
    if (leaf.words.length === 1) subtract(passing, leafBitmap(leaf, found, documents))
  }
}
