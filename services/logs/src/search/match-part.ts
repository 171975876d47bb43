import { once } from '../once.ts'
import { type Bitmap, countBits } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import type { AbortCheck } from './abort-check.ts'
import { type CacheOf, withoutCache } from './cache-counts.ts'
import type { PartFilter } from './filters.ts'
import { type FoundTerms, findTerms, matchTerms, mayMatch, type Term, termsOf } from './match.ts'
import type { Query } from './query.ts'
import type { TermBound } from './rank.ts'

/** The matched documents of a part, and its occurrences of the terms. The bitmaps must not be modified. */
export type Reached = { found: FoundTerms; matched: Bitmap }

/** The matches of a part. */
export type Match = {
  part: Part
  /** The number of matched documents. */
  total: number
  /** For each ranking term, the maximum count in a document and the minimum length code. */
  bounds: readonly TermBound[]
  /** Determines the matched documents, once; many searches do not need them. */
  reach: () => Promise<Reached>
}

/** The contribution of a part to a search. */
export type Survey = {
  documents: number
  words: number
  /** The number of documents that contain each of the ranking terms, whether they match or not. */
  frequencies: ReadonlyMap<string, number>
  match: Match | undefined
}

export type SurveyOptions = {
  query: Query | null
  filter: PartFilter
  ranking: readonly Term[]
  cacheOf: CacheOf
  signal: AbortCheck | undefined
}

/** The cached part of a survey: small, so that it remains cached while columns are evicted. */
type CachedSurvey = { total: number; frequencies: ReadonlyMap<string, number>; bounds: readonly TermBound[] }
/** Approximate memory per term in bytes. */
const termBytes = 128

export const surveyPart = async (part: Part, options: SurveyOptions): Promise<Survey> => {
  const { query, filter, ranking, cacheOf, signal } = options
  signal?.throwIfAborted()
  const corpus = await part.corpus()
  if (!filter.mayPass(part)) return { ...corpus, frequencies: await frequenciesIn(part, ranking), match: undefined }
  const find = once(() => findTerms(part, query ? termsOf(query) : []))
  const reach = once(async (): Promise<Reached> => {
    const [found, matched] = await Promise.all([find(), filter.passing(part)])
    if (query) matchTerms(query, found, matched)
    return { found, matched }
  })
  // The same query may be ordered by time, which needs no frequencies and bounds.
  const name = ranking.length === 0 ? 'survey' : 'ranked survey'
  const { total, frequencies, bounds } = await cacheOf(part)(name, async () => {
    const found = await find()
    const isHopeless = query !== null && !mayMatch(query, found)
    const value: CachedSurvey = {
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

/** The frequencies of words in a part regardless of filters: entries that filters exclude still count for how rare a word is. */
export const frequenciesIn = async (part: Part, terms: readonly Term[]): Promise<ReadonlyMap<string, number>> => {
  if (terms.length === 0) return new Map()
  const { memoize = withoutCache } = part
  return memoize(`frequencies of ${JSON.stringify(terms.map(({ name }) => name))}`, async () => {
    const frequencies = new Map<string, number>()
    const prefixes = terms.filter((term) => term.isPrefix)
    for (const [name, { total }] of await findTerms(part, prefixes)) frequencies.set(name, total)
    for (const term of terms) if (!term.isPrefix) frequencies.set(term.name, await part.frequency(term.word))
    return { value: frequencies, bytes: termBytes * terms.length }
  })
}
