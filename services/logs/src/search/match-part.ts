import { once } from '../once.ts'
import { type Bitmap, countBits } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import type { PartFilter } from './filters.ts'
import { findAnew, type KeeperOf } from './keep-counts.ts'
import type { Leaving } from './leaving.ts'
import { type FoundTerms, findTerms, matchTerms, mayMatch, type Term, termsOf } from './match.ts'
import type { Query } from './query.ts'
import type { TermBound } from './rank.ts'

/** Which documents of a part matched, and what it has of the terms. Bitmaps are not to be changed. */
export type Reached = { found: FoundTerms; matched: Bitmap }

/** What of a part matched. */
export type Match = {
  part: Part
  /** How many documents. */
  total: number
  /** What no document of it has more of, or with fewer words, by the terms that rank. */
  bounds: readonly TermBound[]
  /** Finds out which documents these are, once; often nobody has to know. */
  reach: () => Promise<Reached>
}

/** What a part adds to a search. */
export type Survey = {
  documents: number
  words: number
  /** How many documents have each of the terms that rank, whether they match or not. */
  frequencies: ReadonlyMap<string, number>
  match: Match | undefined
}

export type SurveyOptions = {
  query: Query | null
  filter: PartFilter
  ranking: readonly Term[]
  keeperOf: KeeperOf
  signal: Leaving | undefined
}

/** What is kept of a survey: little, so that it stays while columns come and go. */
type Kept = { total: number; frequencies: ReadonlyMap<string, number>; bounds: readonly TermBound[] }
/** About what a term of it takes. */
const termBytes = 128

export const surveyPart = async (part: Part, options: SurveyOptions): Promise<Survey> => {
  const { query, filter, ranking, keeperOf, signal } = options
  signal?.throwIfAborted()
  const corpus = await part.corpus()
  if (!filter.mayPass(part)) return { ...corpus, frequencies: await frequenciesIn(part, ranking), match: undefined }
  const find = once(() => findTerms(part, query ? termsOf(query) : []))
  const reach = once(async (): Promise<Reached> => {
    const [found, matched] = await Promise.all([find(), filter.passing(part)])
    if (query) matchTerms(query, found, matched)
    return { found, matched }
  })
  // The same words are asked for in an order by time, which needs to know nothing of them.
  const name = ranking.length === 0 ? 'survey' : 'ranked survey'
  const { total, frequencies, bounds } = await keeperOf(part)(name, async () => {
    const found = await find()
    const isHopeless = query !== null && !mayMatch(query, found)
    const value: Kept = {
      total: isHopeless ? 0 : countBits((await reach()).matched),
      frequencies: new Map(ranking.map(({ name }) => [name, found.get(name)?.total ?? 0])),
      bounds: ranking.flatMap(({ name }) => {
        const term = found.get(name)
        return term ? [{ name, max: term.max, min: term.min }] : []
      }),
    }
    return { value, bytes: termBytes * (1 + ranking.length) }
  })
  return { ...corpus, frequencies, match: total === 0 ? undefined : { part, total, bounds, reach } }
}

/** How often words occur in a part, whatever filters let through: one that they rule out still counts for how rare a word is. */
export const frequenciesIn = async (part: Part, terms: readonly Term[]): Promise<ReadonlyMap<string, number>> => {
  if (terms.length === 0) return new Map()
  const { keep = findAnew } = part
  return keep(`frequencies of ${JSON.stringify(terms.map(({ name }) => name))}`, async () => {
    const frequencies = new Map<string, number>()
    const prefixes = terms.filter((term) => term.isPrefix)
    for (const [name, { total }] of await findTerms(part, prefixes)) frequencies.set(name, total)
    for (const term of terms) if (!term.isPrefix) frequencies.set(term.name, await part.frequency(term.word))
    return { value: frequencies, bytes: termBytes * terms.length }
  })
}
