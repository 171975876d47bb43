import { releaseBuffer } from '../release-buffers.ts'
import { documentsOf, hasBit } from '../segments/bitmap.ts'
import type { FoundTerm } from './match.ts'
import type { Reached } from './match-part.ts'
import { scoreOf, type TermScores } from './rank.ts'

/**
 * Documents that contain each term of a query equally often are of one kind, and the shortest of them has the kind's best score, whatever the
 * statistics are. Log lines have few kinds, from which the best score of a part is known without examining its documents again.
 */
export type Kinds = {
  /** Names of the terms that the part contains. */
  terms: readonly string[]
  /** For each kind, how often its documents contain each of the terms. */
  counts: Uint8Array
  /** For each kind, the length code of its shortest document. */
  shortest: Uint8Array
}

/** With more kinds, caching them does not pay off. */
const maxKinds = 1_024
const maxCount = 255

/** Approximate memory of kinds in bytes. */
export const bytesOfKinds = (kinds: Kinds | undefined): number =>
  256 + (kinds ? kinds.counts.length + kinds.shortest.length + kinds.terms.length * 64 : 0)

/** Documents with their kinds; `counts` contains how often the documents of each kind contain each term. A kind may have no documents. */
type Classification = { terms: readonly string[]; documents: Uint32Array; kindOf: Uint16Array; counts: number[][] }

/** Classifies matched documents by kind; undefined if there are too many kinds. */
export const classify = ({ found, matched }: Reached, names: readonly string[]): Classification | undefined => {
  const terms = names.filter((name) => found.has(name))
  const documents = documentsOf(matched)
  const classified = {
    terms,
    documents,
    kindOf: new Uint16Array(documents.length),
    counts: [terms.map(() => 0)],
  }
  const isComplete = [...terms.entries()].every(([number, name]) => {
    const term = found.get(name)
    return !term || refine(classified, term, number)
  })
  if (isComplete) return classified
  releaseBuffer(classified.documents)
  releaseBuffer(classified.kindOf)
  return undefined
}

/** The kinds of matched documents; undefined if there are too many. */
export const kindsOf = (reached: Reached, names: readonly string[], lengthCodes: Uint8Array): Kinds | undefined => {
  const classified = classify(reached, names)
  if (!classified) return undefined
  const kinds = kindsIn(classified, lengthCodes)
  releaseBuffer(classified.documents)
  releaseBuffer(classified.kindOf)
  return kinds
}

const kindsIn = ({ terms, documents, kindOf, counts }: Classification, lengthCodes: Uint8Array): Kinds => {
  const shortest = new Uint8Array(counts.length).fill(maxCount)
  const used = new Uint8Array(counts.length)
  for (let index = 0; index < documents.length; index++) {
    const kind = kindOf[index] ?? 0
    const code = lengthCodes[documents[index] ?? 0] ?? 0
    if (code < (shortest[kind] ?? 0)) shortest[kind] = code
    used[kind] = 1
  }
  // A kind is empty if a further term moved all its documents to other kinds.
  const occupied = counts.flatMap((having, kind) => (used[kind] === 1 ? [{ having, code: shortest[kind] ?? 0 }] : []))
  return {
    terms,
    counts: Uint8Array.from(occupied.flatMap(({ having }) => having)),
    shortest: Uint8Array.from(occupied, ({ code }) => code),
  }
}

/** Splits kinds by how often their documents contain another term; false if there are too many kinds. */
const refine = (
  { documents, kindOf, counts }: Classification,
  { bitmap, repeated }: FoundTerm,
  number: number,
): boolean => {
  const next = new Map<number, number>()
  let [before, after, cursor] = [-1, 0, 0]
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0
    if (!hasBit(bitmap, document)) continue
    while (cursor < repeated.documents.length && (repeated.documents[cursor] ?? 0) < document) cursor++
    const count = repeated.documents[cursor] === document ? (repeated.counts[cursor] ?? 1) : 1
    const kind = kindOf[index] ?? 0
    const step = kind * (maxCount + 1) + count
    if (step !== before) {
      before = step
      const known = next.get(step)
      after = known ?? counts.length
      if (known === undefined) {
        if (counts.length === maxKinds) return false
        next.set(step, after)
        counts.push((counts[kind] ?? []).with(number, count))
      }
    }
    kindOf[index] = after
  }
  return true
}

/** The highest score of a document of these kinds. */
export const highestOfKinds = ({ terms, counts, shortest }: Kinds, scores: ReadonlyMap<string, TermScores>): number => {
  const ofTerms = terms.map((name) => scores.get(name))
  let highest = 0
  for (let kind = 0; kind < shortest.length; kind++) {
    highest = Math.max(highest, scoreOfKind(ofTerms, { counts, kind }, shortest[kind] ?? 0))
  }
  return highest
}

/** The score of a document of a kind with this length code, summed term by term like any document's. */
export const scoreOfKind = (
  ofTerms: readonly (TermScores | undefined)[],
  { counts, kind }: { counts: Uint8Array; kind: number },
  code: number,
): number => {
  let sum = 0
  for (const [number, ofTerm] of ofTerms.entries()) {
    const count = counts[kind * ofTerms.length + number] ?? 0
    if (ofTerm && count > 0) sum += scoreOf(ofTerm, count, code)
  }
  return sum
}
