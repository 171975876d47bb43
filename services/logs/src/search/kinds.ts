import { letGoOf } from '../let-go.ts'
import { documentsOf, hasBit } from '../segments/bitmap.ts'
import type { FoundTerm } from './match.ts'
import type { Reached } from './match-part.ts'
import { scoreOf, type TermScores } from './rank.ts'

/**
 * Documents that have the terms of a query equally often are of one kind, and the shortest of them has the best score of it, whatever the
 * statistics are. Log lines come in few kinds: with them it is known how good the best of a part is without looking at it again.
 */
export type Kinds = {
  /** The terms that the part has, by their names. */
  terms: readonly string[]
  /** For each kind how often its documents have each of the terms. */
  counts: Uint8Array
  /** For each kind the length code of the shortest. */
  shortest: Uint8Array
}

/** Of more it is not worth knowing. */
const maxKinds = 1_024
const maxCount = 255

/** About what kinds take in memory. */
export const bytesOfKinds = (kinds: Kinds | undefined): number =>
  256 + (kinds ? kinds.counts.length + kinds.shortest.length + kinds.terms.length * 64 : 0)

/** Documents and which kind each is of; a kind is told by how often its documents have each of the terms, and may have none. */
type ToldKinds = { terms: readonly string[]; documents: Uint32Array; kindOf: Uint16Array; counts: number[][] }

/** Tells the kinds of what matched apart; undefined where there are too many. */
export const tellKinds = ({ found, matched }: Reached, names: readonly string[]): ToldKinds | undefined => {
  const terms = names.filter((name) => found.has(name))
  const documents = documentsOf(matched)
  const told = { terms, documents, kindOf: new Uint16Array(documents.length), counts: [terms.map(() => 0)] }
  const isTold = [...terms.entries()].every(([number, name]) => {
    const term = found.get(name)
    return !term || refine(told, term, number)
  })
  if (isTold) return told
  letGoOf(told.documents)
  letGoOf(told.kindOf)
  return undefined
}

/** The kinds of what matched; undefined where there are too many. */
export const kindsOf = (reached: Reached, names: readonly string[], lengthCodes: Uint8Array): Kinds | undefined => {
  const told = tellKinds(reached, names)
  if (!told) return undefined
  const kinds = kindsIn(told, lengthCodes)
  letGoOf(told.documents)
  letGoOf(told.kindOf)
  return kinds
}

const kindsIn = ({ terms, documents, kindOf, counts }: ToldKinds, lengthCodes: Uint8Array): Kinds => {
  const shortest = new Uint8Array(counts.length).fill(maxCount)
  const used = new Uint8Array(counts.length)
  for (let index = 0; index < documents.length; index++) {
    const kind = kindOf[index] ?? 0
    const code = lengthCodes[documents[index] ?? 0] ?? 0
    if (code < (shortest[kind] ?? 0)) shortest[kind] = code
    used[kind] = 1
  }
  // A kind whose documents all went on to others when the next term was looked at has none.
  const kept = counts.flatMap((having, kind) => (used[kind] === 1 ? [{ having, code: shortest[kind] ?? 0 }] : []))
  return {
    terms,
    counts: Uint8Array.from(kept.flatMap(({ having }) => having)),
    shortest: Uint8Array.from(kept, ({ code }) => code),
  }
}

/** Tells documents of a kind apart by how often they have another term; false where there are too many kinds then. */
const refine = ({ documents, kindOf, counts }: ToldKinds, { bitmap, repeated }: FoundTerm, number: number): boolean => {
  const next = new Map<number, number>()
  let [before, after, place] = [-1, 0, 0]
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0
    if (!hasBit(bitmap, document)) continue
    while (place < repeated.documents.length && (repeated.documents[place] ?? 0) < document) place++
    const count = repeated.documents[place] === document ? (repeated.counts[place] ?? 1) : 1
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

/** The highest score that a document of these kinds has. */
export const highestOfKinds = ({ terms, counts, shortest }: Kinds, scores: ReadonlyMap<string, TermScores>): number => {
  const ofTerms = terms.map((name) => scores.get(name))
  let highest = 0
  for (let kind = 0; kind < shortest.length; kind++) {
    highest = Math.max(highest, scoreOfKind(ofTerms, { counts, kind }, shortest[kind] ?? 0))
  }
  return highest
}

/** The score of a document of a kind with this length code, summed term by term as that of any document is. */
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
