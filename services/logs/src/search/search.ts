import type { StoredEntry } from '../entries/entry.ts'
import { type Bitmap, countBits, hasBit } from '../segments/bitmap.ts'
import type { Keep, Part } from '../segments/part.ts'
import { wordsOf } from '../segments/tokens.ts'
import { createCandidates, createScoring, offerBestFirst } from './candidates.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { createPartFilter, type Filters, type PartFilter } from './filters.ts'
import { bucketsFor, countTimes, type Histogram } from './histogram.ts'
import { createTopHits, type Hit, type Order, type Place, type Rank } from './hits.ts'
import { createKeeper } from './keep-counts.ts'
import { inLanes } from './lanes.ts'
import type { Leaving } from './leaving.ts'
import { type Doubted, lookInTexts } from './look-in-texts.ts'
import {
  doubtfulAmong,
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

export type SearchOptions = {
  domainOf: (tag: string) => string
  signal?: Leaving | undefined
  /** Default 20,000. */
  mostTextsForExactTotal?: number
}

/** So many candidates of which only the text tells are all looked at; of more, some for the counts and those that the page needs. */
const mostTextsForExactTotal = 20_000
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
 * Searches parts as one corpus. Counts, facets and histogram are exact, but for phrases whose words more than twenty thousand candidates
 * have: all three are then an estimate by some of their texts, the same for every page of whatever length.
 * Throws SegmentCorrupt for a part that cannot be read, and what the signal throws, which is asked between parts.
 */
export const search = async (
  parts: readonly Part[],
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchResult> => {
  const { query, order } = request
  const { signal } = options
  const filter = createPartFilter(request.filters)
  if (query && isEmptyQuery(query)) return nothingFound(request.withFacets)
  const ranking = query && order === 'relevance' ? scoringTerms(query) : []
  const all = await inLanes(parts, lanes, (part) => matchPart(part, request, { filter, ranking, signal }))
  const matches = all.map(({ match }) => match).filter((match) => match !== undefined)
  const statistics = request.statistics ?? gatherStatistics(all)
  const { counted, isExact, keeperOf, hitsOf } = await settle(matches, request, options)
  const hits = await hitsOf((shown) => createPager(shown, request, { ranking, statistics, signal }))
  const shown = hits.slice(0, request.limit)
  const last = shown.at(-1)
  return {
    entries: await present(shown, matches),
    total: counted.reduce((sum, { total }) => sum + total, 0),
    totalIsExact: isExact,
    ...(request.withFacets ? await count(counted, keeperOf, options) : { facets: null, histogram: null }),
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

/** What is counted, and how to get the hits of the page. */
type Answer = {
  counted: readonly Matched[]
  isExact: boolean
  keeperOf: (part: Part) => Keep
  hitsOf: (pagerOf: (matches: readonly Matched[]) => Pager) => Promise<Hit[]>
}

const settle = async (matches: readonly Matched[], request: SearchRequest, options: SearchOptions): Promise<Answer> => {
  const { query, after, limit } = request
  const keeperOf = createKeeper(request)
  const hitsAmong =
    (these: readonly Matched[]): Answer['hitsOf'] =>
    (pagerOf) =>
      pagerOf(these)(after, limit + 1)
  if (!query || !needsTexts(query)) return { counted: matches, isExact: true, keeperOf, hitsOf: hitsAmong(matches) }
  const doubted = matches.map((match) => ({ ...match, doubtful: doubtfulAmong(query, match.found, match.matched) }))
  const { mostTextsForExactTotal: most = mostTextsForExactTotal, signal } = options
  const { settled, isExact, counted: way } = await lookInTexts(doubted, { query, mostTexts: most, keeperOf, signal })
  const counted = matches.map((match, index) => ({ ...match, ...settled[index] }))
  return {
    counted,
    isExact,
    // What was counted of some of the texts is not what is counted of all.
    keeperOf: (part) => (name, find) => keeperOf(part)(`${name} of ${way}`, find),
    hitsOf: isExact ? hitsAmong(counted) : (pagerOf) => pageByTexts(query, doubted, pagerOf(matches), request, signal),
  }
}

const rankOf = ({ score, time, sequence, key }: Hit): Rank => ({ score, time, sequence, key })

type PartMatch = {
  documents: number
  words: number
  frequencies: ReadonlyMap<string, number>
  match: Matched | undefined
}

const matchPart = async (
  part: Part,
  { query }: SearchRequest,
  { filter, ranking, signal }: { filter: PartFilter; ranking: readonly Term[]; signal: Leaving | undefined },
): Promise<PartMatch> => {
  signal?.throwIfAborted()
  const corpus = await part.corpus()
  if (!filter.mayPass(part)) return { ...corpus, frequencies: await frequenciesIn(part, ranking), match: undefined }
  const found = await findTerms(part, query ? termsOf(query) : [])
  const frequencies = new Map(ranking.map(({ name }) => [name, found.get(name)?.total ?? 0]))
  const nothing = { ...corpus, frequencies, match: undefined }
  if (query && !mayMatch(query, found)) return nothing
  const matched = await filter.passing(part)
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

/**
 * Gives hits from `after` on, one more than the page has: with more candidates than are looked at for the counts, those that only the text
 * tells of are looked at here, best first.
 */
const pageByTexts = async (
  query: Query,
  matches: readonly Doubted[],
  page: Pager,
  { after, limit }: SearchRequest,
  signal: Leaving | undefined,
): Promise<Hit[]> => {
  const holds = async ({ part, document }: Hit): Promise<boolean> => {
    const match = matches[part]
    if (!match) return false
    if (!hasBit(match.doubtful, document)) return true
    looked++
    return matchesWords(query, wordsOf(await match.part.text(document)))
  }
  const hits: Hit[] = []
  let looked = 0
  for (let from = after; hits.length <= limit && looked < mostTexts; ) {
    signal?.throwIfAborted()
    const next = await page(from, Math.max(200, limit * 2))
    const last = next.at(-1)
    if (!last) break
    for (const hit of next) {
      if (await holds(hit)) hits.push(hit)
      if (hits.length > limit) break
    }
    from = rankOf(last)
  }
  return hits
}

/** The entries of hits, in their order; those of a part are read together. */
const present = async (hits: readonly Hit[], matches: readonly Matched[]): Promise<FoundEntry[]> => {
  const entries = new Map<Hit, StoredEntry>()
  for (const [number, these] of Map.groupBy(hits, (hit) => hit.part)) {
    const read = await matches[number]?.part.entries(these.map(({ document }) => document))
    read?.forEach((entry, index) => {
      const hit = these[index]
      if (hit) entries.set(hit, entry)
    })
  }
  return hits.map((hit) => {
    const entry = entries.get(hit)
    if (!entry) throw new RangeError('A hit names a part that was not searched.')
    return { entry, score: hit.score }
  })
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
