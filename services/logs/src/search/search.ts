import type { StoredEntry } from '../entries/entry.ts'
import { type Bitmap, countBits, documentsOf, setBit } from '../segments/bitmap.ts'
import type { Part, PartColumns } from '../segments/part.ts'
import { wordsOf } from '../segments/tokens.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { type Filters, keepTemplates, mayPass, passingDocuments } from './filters.ts'
import { bucketsFor, countTimes, type Histogram } from './histogram.ts'
import { createTopHits, type Hit, type Order, offerDocuments, type Place, type Rank } from './hits.ts'
import { type FoundTerms, findTerms, matchTerms, needsTexts, scoringTerms, type Term, termsOf } from './match.ts'
import { isEmptyQuery, matchesWords, type Query } from './query.ts'
import { gatherStatistics, type Statistics, scoreDocuments, scoresOfTerms } from './rank.ts'

export type SearchRequest = {
  /** null asks for all that the filters let through. */
  query: Query | null
  filters: Filters
  limit: number
  order: Order
  /** Where the page before ended. */
  after?: Place
  /** Counts by value and time cost a pass over all that matches. */
  withFacets: boolean
  /** Of a larger corpus that this one is a part of; scores are those of the larger one then. */
  statistics?: Statistics
}

export type FoundEntry = { entry: StoredEntry; score: number }

export type SearchResult = {
  entries: FoundEntry[]
  total: number
  totalIsExact: boolean
  facets: Facets | null
  histogram: Histogram | null
  /** The rank of the last entry when there may be more after it. */
  next: Place | null
  /** Of several stores, those that did not answer in time and are left out. */
  missing?: readonly string[]
}

/** Says by throwing that nobody waits for the answer any more; an AbortSignal is one. */
export type Leaving = Pick<AbortSignal, 'throwIfAborted'>
export type SearchOptions = { domainOf: (tag: string) => string; signal?: Leaving | undefined }

/** So many candidates of a phrase are all looked at; of more, only as many as the page needs. */
const mostTextsForExactTotal = 1_000
/** A phrase whose words are everywhere but never together stops here. */
const mostTexts = 20_000

type Matched = {
  part: Part
  columns: PartColumns
  found: FoundTerms
  matched: Bitmap
  /** Those of `matched`, ascending. */
  documents: Uint32Array
  /** By place in `documents`, once they are made; absent where time alone orders. */
  scores?: Float64Array
}

/**
 * Searches parts as one corpus. Counts, facets and histogram are exact, but for phrases with more than a thousand candidates: they are
 * looked for in the texts only until the page is full, the total is then an estimate, and facets count the candidates.
 * Throws SegmentCorrupt for a part that cannot be read, and what the signal throws, which is asked between parts.
 */
export const search = async (
  parts: readonly Part[],
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchResult> => {
  const { query, order } = request
  if (query && isEmptyQuery(query)) return nothingFound(request.withFacets)
  const ranking = query && order === 'relevance' ? scoringTerms(query) : []
  const all = await Promise.all(parts.map((part) => matchPart(part, request, ranking, options.signal)))
  const matches = all.map(({ match }) => match).filter((match) => match !== undefined)
  const statistics = request.statistics ?? gatherStatistics(all)
  const page = createPager(matches, request, { ranking, statistics, signal: options.signal })
  const candidates = matches.reduce((sum, match) => sum + match.documents.length, 0)
  const verified =
    query && needsTexts(query) ? await verify(query, matches, candidates, page, request, options.signal) : undefined
  const hits = verified?.hits ?? page(request.after, request.limit + 1)
  const shown = hits.slice(0, request.limit)
  const last = shown.at(-1)
  return {
    entries: await Promise.all(shown.map((hit) => present(hit, matches))),
    total: verified?.total ?? candidates,
    totalIsExact: verified?.totalIsExact ?? true,
    ...(request.withFacets ? count(matches, options) : { facets: null, histogram: null }),
    next: hits.length > request.limit && last ? rankOf(last) : null,
  }
}

const nothingFound = (withFacets: boolean): SearchResult => ({
  entries: [],
  total: 0,
  totalIsExact: true,
  facets: withFacets ? createFacetCounter(() => '').result() : null,
  histogram: null,
  next: null,
})

const rankOf = ({ score, time, sequence, key }: Hit): Rank => ({ score, time, sequence, key })

type PartMatch = {
  documents: number
  words: number
  frequencies: ReadonlyMap<string, number>
  match: Matched | undefined
}

const matchPart = async (
  part: Part,
  { query, filters }: SearchRequest,
  ranking: readonly Term[],
  signal: Leaving | undefined,
): Promise<PartMatch> => {
  signal?.throwIfAborted()
  const corpus = await part.corpus()
  if (!mayPass(filters, part)) return { ...corpus, frequencies: await frequenciesIn(part, ranking), match: undefined }
  const [columns, found] = await Promise.all([part.columns(), findTerms(part, query ? termsOf(query) : [])])
  signal?.throwIfAborted()
  const frequencies = new Map(ranking.map(({ name }) => [name, found.get(name)?.documents.length ?? 0]))
  const matched = passingDocuments(filters, part, columns)
  await keepTemplates(filters, part, matched)
  if (query) matchTerms(query, found, part.documents, matched)
  const documents = onlyDocuments(query, found, matched) ?? documentsOf(matched)
  return { ...corpus, frequencies, match: { part, columns, found, matched, documents } }
}

/** What matched a query of one word where no filter took anything away: that is its postings, and needs not be read out of the bitmap. */
const onlyDocuments = (query: Query | null, found: FoundTerms, matched: Bitmap): Uint32Array | undefined => {
  const [postings] = found.values()
  if (!query || query.excluded.length > 0 || found.size !== 1 || !postings || termsOf(query).length !== 1)
    return undefined
  return countBits(matched) === postings.documents.length ? postings.documents : undefined
}

/** How often the words that rank a query occur, whatever filters let through: what several corpora need to rank as one. */
export const countWords = async (
  parts: readonly Part[],
  query: Query,
  signal?: Leaving | undefined,
): Promise<Statistics> => {
  const ranking = scoringTerms(query)
  return gatherStatistics(
    await Promise.all(
      parts.map(async (part) => {
        signal?.throwIfAborted()
        return { ...(await part.corpus()), frequencies: await frequenciesIn(part, ranking) }
      }),
    ),
  )
}

/** A part that the filters rule out still counts for how rare a word is. */
const frequenciesIn = async (part: Part, terms: readonly Term[]): Promise<Map<string, number>> => {
  const frequencies = new Map<string, number>()
  const prefixes = terms.filter((term) => term.isPrefix)
  for (const [name, postings] of await findTerms(part, prefixes)) frequencies.set(name, postings.documents.length)
  for (const term of terms) if (!term.isPrefix) frequencies.set(term.name, await part.frequency(term.word))
  return frequencies
}

type Pager = (after: Rank | undefined, limit: number) => Hit[]

type Ranking = { ranking: readonly Term[]; statistics: Statistics; signal: Leaving | undefined }

/** Gives hits in order, page by page; scores are made once. */
const createPager = (matches: Matched[], { order }: SearchRequest, { ranking, statistics, signal }: Ranking): Pager => {
  const byTerm = scoresOfTerms(ranking, statistics)
  if (ranking.length > 0) {
    const scratch = new Float64Array(Math.max(0, ...matches.map(({ part }) => part.documents)))
    for (const match of matches) {
      signal?.throwIfAborted()
      const { found, documents, columns } = match
      match.scores = scoreDocuments({ documents, found, scores: byTerm, lengthCodes: columns.lengthCodes, scratch })
    }
  }
  return (after, limit) => {
    const top = createTopHits(limit)
    matches.forEach(({ columns, documents, scores }, part) => {
      offerDocuments(top, { part, documents, columns, order, scores, after })
    })
    return top.take()
  }
}

type Verified = { hits: Hit[]; total: number; totalIsExact: boolean }

/** Looks at the texts of candidates, best first, until the page is full; all of them where there are few. */
const verify = async (
  query: Query,
  matches: Matched[],
  candidates: number,
  page: Pager,
  { after, limit }: SearchRequest,
  signal: Leaving | undefined,
): Promise<Verified> => {
  const isInText = async (hit: Hit): Promise<boolean> => {
    const match = matches[hit.part]
    return match !== undefined && matchesWords(query, wordsOf(await match.part.text(hit.document)))
  }
  if (candidates <= mostTextsForExactTotal) {
    const everything = page(undefined, candidates)
    const holds = await Promise.all(everything.map(isInText))
    const kept = everything.filter((_, index) => holds[index])
    keepOnly(matches, kept)
    return { hits: page(after, limit + 1), total: kept.length, totalIsExact: true }
  }
  const hits: Hit[] = []
  let looked = 0
  for (let from = after; hits.length <= limit && looked < mostTexts; ) {
    signal?.throwIfAborted()
    const next = page(from, Math.max(200, limit * 2))
    const last = next.at(-1)
    if (!last) return { hits, total: Math.max(hits.length, 0), totalIsExact: after === undefined }
    for (const hit of next) {
      looked++
      if (await isInText(hit)) hits.push(hit)
      if (hits.length > limit) break
    }
    from = rankOf(last)
  }
  return {
    hits,
    total: Math.max(hits.length, Math.round((candidates * hits.length) / Math.max(1, looked))),
    totalIsExact: false,
  }
}

/** What did not stand in the texts is taken out, so that facets and pages are those of what did. */
const keepOnly = (matches: Matched[], hits: readonly Hit[]): void => {
  matches.forEach((match, part) => {
    const kept = hits.filter((hit) => hit.part === part).toSorted((a, b) => a.document - b.document)
    match.matched.fill(0)
    for (const { document } of kept) setBit(match.matched, document)
    match.documents = Uint32Array.from(kept, ({ document }) => document)
    if (match.scores) match.scores = Float64Array.from(kept, ({ score }) => score)
  })
}

const present = async (hit: Hit, matches: readonly Matched[]): Promise<FoundEntry> => {
  const match = matches[hit.part]
  if (!match) throw new RangeError('A hit names a part that was not searched.')
  return { entry: await match.part.entry(hit.document), score: hit.score }
}

/** The first and last moment of what matched. A part within what is known already is not looked at. */
const extentOf = (matches: readonly Matched[]): { first: number; last: number } => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { part, columns, documents } of matches) {
    if (part.firstTime >= first && part.lastTime <= last) continue
    const { times } = columns
    for (let index = 0; index < documents.length; index++) {
      const time = times[documents[index] ?? 0] ?? 0
      if (time < first) first = time
      if (time > last) last = time
    }
  }
  return { first, last }
}

const count = (matches: readonly Matched[], { domainOf, signal }: SearchOptions) => {
  const counter = createFacetCounter(domainOf)
  for (const { part, columns, matched, documents } of matches) {
    signal?.throwIfAborted()
    counter.count(part, columns, matched, documents)
  }
  const { first, last } = extentOf(matches)
  const histogram = first <= last ? bucketsFor(first, last) : null
  if (histogram)
    for (const { part, columns, documents } of matches) countTimes(histogram, documents, columns.times, part)
  return { facets: counter.result(), histogram }
}
