import type { StoredEntry } from '../entries/entry.ts'
import { type Bitmap, countBits, createBitmap, setBit } from '../segments/bitmap.ts'
import type { Keep, Part } from '../segments/part.ts'
import { wordsOf } from '../segments/tokens.ts'
import { createCandidates, createScoring, offerBestFirst } from './candidates.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { type Filters, mayPass, passingOf } from './filters.ts'
import { bucketsFor, countTimes, type Histogram } from './histogram.ts'
import { compareRanks, createTopHits, type Hit, type Order, type Place, type Rank } from './hits.ts'
import { createKeeper, findAnew } from './keep-counts.ts'
import { inLanes } from './lanes.ts'
import type { Leaving } from './leaving.ts'
import {
  type FoundTerms,
  findTerms,
  matchTerms,
  mayMatch,
  needsTexts,
  scoringTerms,
  type Term,
  termsOf,
} from './match.ts'
import { isEmptyQuery, matchesWords, type Query } from './query.ts'
import { gatherStatistics, type Statistics, scoresOfTerms } from './rank.ts'

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

/** So many parts are looked at at a time: their columns are in memory then. */
const lanes = 8

export type SearchOptions = { domainOf: (tag: string) => string; signal?: Leaving | undefined }

/** So many candidates of a phrase are all looked at; of more, only as many as the page needs. */
const mostTextsForExactTotal = 1_000
/** A phrase whose words are everywhere but never together stops here. */
const mostTexts = 20_000

type Matched = {
  part: Part
  found: FoundTerms
  matched: Bitmap
  /** How many documents matched. */
  total: number
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
  const all = await inLanes(parts, lanes, (part) => matchPart(part, request, ranking, options.signal))
  const matches = all.map(({ match }) => match).filter((match) => match !== undefined)
  const statistics = request.statistics ?? gatherStatistics(all)
  const page = createPager(matches, request, { ranking, statistics, signal: options.signal })
  const candidates = matches.reduce((sum, match) => sum + match.total, 0)
  const verified =
    query && needsTexts(query) ? await verify(query, matches, candidates, page, request, options.signal) : undefined
  // What was found in texts is not what the words of the query matched.
  const keeperOf = verified ? () => findAnew : createKeeper(request)
  const hits = verified?.hits ?? (await page(request.after, request.limit + 1))
  const shown = hits.slice(0, request.limit)
  const last = shown.at(-1)
  return {
    entries: await Promise.all(shown.map((hit) => present(hit, matches))),
    total: verified?.total ?? candidates,
    totalIsExact: verified?.totalIsExact ?? true,
    ...(request.withFacets
      ? await count(verified?.matches ?? matches, keeperOf, options)
      : { facets: null, histogram: null }),
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
  const found = await findTerms(part, query ? termsOf(query) : [])
  const frequencies = new Map(ranking.map(({ name }) => [name, found.get(name)?.total ?? 0]))
  const nothing = { ...corpus, frequencies, match: undefined }
  if (query && !mayMatch(query, found)) return nothing
  const matched = await passingOf(filters, part)
  signal?.throwIfAborted()
  if (query) matchTerms(query, found, matched)
  const total = countBits(matched)
  return total === 0 ? nothing : { ...corpus, frequencies, match: { part, found, matched, total } }
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
  for (const [name, { total }] of await findTerms(part, prefixes)) frequencies.set(name, total)
  for (const term of terms) if (!term.isPrefix) frequencies.set(term.name, await part.frequency(term.word))
  return frequencies
}

type Pager = (after: Rank | undefined, limit: number) => Promise<Hit[]>

type Ranking = { ranking: readonly Term[]; statistics: Statistics; signal: Leaving | undefined }

/** Gives hits in order, page by page. */
const createPager = (
  matches: readonly Matched[],
  { order }: SearchRequest,
  { ranking, statistics, signal }: Ranking,
): Pager => {
  const scoring = createScoring(scoresOfTerms(ranking, statistics))
  const ranked = matches.map(({ part, found, matched, total }, number) => {
    signal?.throwIfAborted()
    const { documents } = part
    return { part, number, candidates: createCandidates({ matched, total, documents, found }, scoring) }
  })
  return async (after, limit) => {
    const top = createTopHits(limit)
    await offerBestFirst(
      top,
      ranked.map(({ part, number, candidates }) => ({ part, candidates, offer: { part: number, order, after } })),
      signal,
    )
    return top.take()
  }
}

/** `matches` are what is left of what matched, where all was looked at. */
type Verified = { hits: Hit[]; total: number; totalIsExact: boolean; matches?: Matched[] }

/** Looks at the texts of candidates, best first, until the page is full; all of them where there are few. */
const verify = async (
  query: Query,
  matches: readonly Matched[],
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
    const everything = await page(undefined, candidates)
    const holds = await Promise.all(everything.map(isInText))
    const kept = everything.filter((_, index) => holds[index])
    const hits = kept.filter((hit) => after === undefined || compareRanks(after, hit) < 0).slice(0, limit + 1)
    return { hits, total: kept.length, totalIsExact: true, matches: keepOnly(matches, kept) }
  }
  const hits: Hit[] = []
  let looked = 0
  for (let from = after; hits.length <= limit && looked < mostTexts; ) {
    signal?.throwIfAborted()
    const next = await page(from, Math.max(200, limit * 2))
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

/** What did not stand in the texts is taken out, so that facets are those of what did. */
const keepOnly = (matches: readonly Matched[], hits: readonly Hit[]): Matched[] =>
  matches.map((match, part) => {
    const kept = hits.filter((hit) => hit.part === part)
    const matched = createBitmap(match.part.documents)
    for (const { document } of kept) setBit(matched, document)
    return { ...match, matched, total: kept.length }
  })

const present = async (hit: Hit, matches: readonly Matched[]): Promise<FoundEntry> => {
  const match = matches[hit.part]
  if (!match) throw new RangeError('A hit names a part that was not searched.')
  return { entry: await match.part.entry(hit.document), score: hit.score }
}

/** The first and last moment of what matched. A part or a span within what is known already is not looked at. */
const extentOf = async (matches: readonly Matched[]): Promise<{ first: number; last: number }> => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { part, matched } of matches) {
    if (part.firstTime >= first && part.lastTime <= last) continue
    const { times, spans } = await part.times()
    for (let word = 0; word < matched.length; word++) {
      let rest = matched[word] ?? 0
      if (rest === 0 || ((spans.first[word] ?? 0) >= first && (spans.last[word] ?? 0) <= last)) continue
      for (; rest !== 0; rest &= rest - 1) {
        const time = times[(word << 5) + 31 - Math.clz32(rest & -rest)] ?? 0
        if (time < first) first = time
        if (time > last) last = time
      }
    }
  }
  return { first, last }
}

const count = async (
  matches: readonly Matched[],
  keeperOf: (part: Part) => Keep,
  { domainOf, signal }: SearchOptions,
) => {
  const counter = createFacetCounter(domainOf)
  const { first, last } = await extentOf(matches)
  const histogram = first <= last ? bucketsFor(first, last) : null
  await inLanes(matches, lanes, async (match) => {
    signal?.throwIfAborted()
    const keep = keeperOf(match.part)
    await counter.count(match, keep)
    if (histogram) await countTimes(histogram, match, keep)
  })
  return { facets: counter.result(), histogram }
}
