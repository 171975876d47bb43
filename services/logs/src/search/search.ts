import type { StoredEntry } from '../entries/entry.ts'
import type { Priority } from '../priority-scheduler.ts'
import type { Memoize, Part } from '../segments/part.ts'
import { createTimeSlices, type TimeSlices } from '../time-slices.ts'
import type { AbortCheck } from './abort-check.ts'
import { type CacheOf, cacheOfVariant, createCacheOf, withoutCache } from './cache-counts.ts'
import { checkTexts } from './check-texts.ts'
import { countMatches } from './count-matches.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { createPartFilter, type Filters } from './filters.ts'
import type { Histogram } from './histogram.ts'
import type { Hit, Order, Position } from './hits.ts'
import { inLanes } from './lanes.ts'
import { doubtfulAmong, needsTexts, scoringTerms } from './match.ts'
import { frequenciesIn, type Match, type Reached, surveyPart } from './match-part.ts'
import { createPager, type Pager, pageByTexts, rankOf } from './page-hits.ts'
import { isEmptyQuery, type Query } from './query.ts'
import { gatherStatistics, type Statistics } from './rank.ts'

export type SearchRequest = {
  /** null matches all entries that pass the filters. */
  query: Query | null
  filters: Filters
  limit: number
  order: Order
  /** The end of the previous page. */
  after?: Position
  /** Whether to count by value and over time, which requires a pass over all matches. */
  withFacets: boolean
  /** Statistics of a larger corpus that contains this one; scores are then those of the larger one. */
  statistics?: Statistics
  /** By default, that of a request that a user waits for. */
  priority?: Priority
}

export type FoundEntry = { entry: StoredEntry; score: number }

export type SearchResult = {
  entries: FoundEntry[]
  total: number
  totalIsExact: boolean
  facets: Facets | null
  histogram: Histogram | null
  /** The rank of the last entry if there may be more after it. */
  next: Position | null
  /** Stores that did not respond in time and are left out. */
  missing?: readonly string[]
}

/** Parts that are searched in parallel; their columns are in memory meanwhile. */
const lanes = 8
/** Entries read at once; each may be in a different block of texts, which has to be decompressed. */
const presentedAtOnce = 20

export type SearchOptions = {
  domainOf: (tag: string) => string
  signal?: AbortCheck | undefined
  /** Yields the thread to other tasks. */
  rest?: (() => Promise<void>) | undefined
  /** Default 20,000. */
  maxTextsForExactTotal?: number
  /** Maximum number of leaders cached per kind and part, for repeated searches. Default 64. */
  leaders?: number
}

/** Up to this many doubtful candidates are all checked; of more, a sample for the counts and those that the page needs. */
const maxTextsForExactTotal = 20_000

/**
 * Searches parts as one corpus. Counts, facets and histogram are exact, except for phrases whose words occur in more than twenty thousand
 * candidates: all three are then estimates from a sample of texts, equal for every page of any length.
 * Throws SegmentCorrupt for a part that cannot be read. The signal is checked between parts.
 */
export const search = async (
  parts: readonly Part[],
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchResult> => {
  const { query, order, limit } = request
  const { signal, domainOf } = options
  if (query && isEmptyQuery(query)) return nothingFound(request.withFacets)
  const ranking = query && order === 'relevance' ? scoringTerms(query) : []
  const cacheOf = createCacheOf(request)
  const surveying = { query, filter: createPartFilter(request.filters), ranking, cacheOf, signal }
  const slices = createTimeSlices(request.priority === 'background' ? 'backgroundSearch' : 'search', options.rest)
  const surveys = await inLanes(parts, lanes, async (part) => {
    if (slices.isOver()) await slices.pause()
    return surveyPart(part, surveying)
  })
  const matches = surveys.map(({ match }) => match).filter((match) => match !== undefined)
  const statistics = request.statistics ?? request.after?.statistics ?? gatherStatistics(surveys)
  const paging = { order, ranking, statistics, leaders: options.leaders, slices, signal }
  const { counted, isExact, countsOf, hitsOf } = await checkDoubtful(matches, request, { ...options, cacheOf, slices })
  const hits = await hitsOf((candidates, hitCache) => createPager(candidates, { ...paging, cacheOf: hitCache }))
  const shown = hits.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: await present(shown, matches, { cacheOf: isInteractive(request) ? cacheOf : () => withoutCache, slices }),
    total: counted.reduce((sum, { total }) => sum + total, 0),
    totalIsExact: isExact,
    ...(request.withFacets
      ? await countMatches(counted, { cacheOf: countsOf, domainOf, slices, signal })
      : { facets: null, histogram: null }),
    next: hits.length > limit && last ? { ...rankOf(last), ...(ranking.length > 0 && { statistics }) } : null,
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

type PagerOf = (matches: readonly Match[], cacheOf: CacheOf) => Pager

/** The matches to count, whether their number is exact, the cache for the counts, and how to read the hits of the page. */
type Answer = {
  counted: readonly Match[]
  isExact: boolean
  countsOf: CacheOf
  hitsOf: (pagerOf: PagerOf) => Promise<Hit[]>
}

type CheckDoubtfulOptions = SearchOptions & { cacheOf: CacheOf; slices: TimeSlices }

/** Checks the texts of doubtful documents, if there are any. */
const checkDoubtful = async (
  matches: readonly Match[],
  request: SearchRequest,
  options: CheckDoubtfulOptions,
): Promise<Answer> => {
  const { query, after, limit } = request
  const { cacheOf, slices, signal, maxTextsForExactTotal: maxTexts = maxTextsForExactTotal } = options
  const hitsAmong =
    (these: readonly Match[], hitCache: CacheOf): Answer['hitsOf'] =>
    (pagerOf) =>
      pagerOf(these, hitCache)(after, limit + 1)
  if (!query || !needsTexts(query))
    return { counted: matches, isExact: true, countsOf: cacheOf, hitsOf: hitsAmong(matches, cacheOf) }
  const unchecked = await inLanes(matches, lanes, async (match) => {
    const { found, matched } = await match.reach()
    return { ...match, found, matched, doubtful: doubtfulAmong(query, found, matched) }
  })
  const {
    checked,
    isExact,
    counted: variant,
  } = await checkTexts(unchecked, { query, maxTexts, cacheOf, slices, signal })
  const counted = unchecked.map(({ found, ...match }, index): Match => {
    const { matched, total } = checked[index] ?? match
    const reached: Reached = { found, matched }
    return { ...match, total, reach: async () => reached }
  })
  // Estimated counts are cached separately from exact ones.
  const countsOf = cacheOfVariant(cacheOf, variant)
  const hitsOf: Answer['hitsOf'] = isExact
    ? hitsAmong(counted, countsOf)
    : (pagerOf) => pageByTexts(query, unchecked, pagerOf(matches, cacheOf), { after, limit, slices, signal })
  return { counted, isExact, countsOf, hitsOf }
}

/** The frequencies of a query's ranking words regardless of filters, which several corpora need to rank as one. */
export const countWords = async (
  parts: readonly Part[],
  query: Query,
  signal?: AbortCheck | undefined,
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

/** Whether a user waits for a page of readable length: clients that read thousands of entries do not repeat the search. */
const isInteractive = ({ limit, priority }: SearchRequest): boolean =>
  priority !== 'background' && limit <= maxInteractive
const maxInteractive = 100

/** Approximate memory of an entry besides its text. */
const entryBytes = 1_024

/** Caches the entries of a page: a repeated search mostly returns the same ones. */
const readEntries = (part: Part, documents: readonly number[], memoize: Memoize): Promise<readonly StoredEntry[]> =>
  memoize(`entries ${documents.join(' ')}`, async () => {
    const value = await part.entries(documents)
    return { value, bytes: value.reduce((sum, { text }) => sum + text.length * 2 + entryBytes, 0) }
  })

/** The entries of hits, in their order; entries of a part are read together. */
const present = async (
  hits: readonly Hit[],
  matches: readonly Match[],
  { cacheOf, slices }: { cacheOf: CacheOf; slices: TimeSlices },
): Promise<FoundEntry[]> => {
  const entries = new Map<Hit, StoredEntry>()
  for (const [number, ofPart] of Map.groupBy(hits, (hit) => hit.part)) {
    for (let from = 0; from < ofPart.length; from += presentedAtOnce) {
      if (slices.isOver()) await slices.pause()
      const these = ofPart.slice(from, from + presentedAtOnce)
      const part = matches[number]?.part
      const read =
        part &&
        (await readEntries(
          part,
          these.map(({ document }) => document),
          cacheOf(part),
        ))
      read?.forEach((entry, index) => {
        const hit = these[index]
        if (hit) entries.set(hit, entry)
      })
    }
  }
  return hits.map((hit) => {
    const entry = entries.get(hit)
    if (!entry) throw new RangeError('A hit names a part that was not searched.')
    return { entry, score: hit.score }
  })
}
