import type { StoredEntry } from '../entries/entry.ts'
import type { Priority } from '../priority-scheduler.ts'
import type { Keep, Part } from '../segments/part.ts'
import { createSlices, type Slices } from '../slices.ts'
import { countMatches } from './count-matches.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { createPartFilter, type Filters } from './filters.ts'
import type { Histogram } from './histogram.ts'
import type { Hit, Order, Place } from './hits.ts'
import { createKeeper, findAnew, type KeeperOf, keeperFor } from './keep-counts.ts'
import { inLanes } from './lanes.ts'
import type { Leaving } from './leaving.ts'
import { lookInTexts } from './look-in-texts.ts'
import { doubtfulAmong, needsTexts, scoringTerms } from './match.ts'
import { frequenciesIn, type Match, type Reached, surveyPart } from './match-part.ts'
import { createPager, type Pager, pageByTexts, rankOf } from './page-hits.ts'
import { isEmptyQuery, type Query } from './query.ts'
import { gatherStatistics, type Statistics } from './rank.ts'

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
  /** Somebody waits for it unless told otherwise. */
  priority?: Priority
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
/** Each may lie in a block of texts of its own, which has to be unpacked. */
const presentedAtOnce = 20

export type SearchOptions = {
  domainOf: (tag: string) => string
  signal?: Leaving | undefined
  /** Gives others in the thread their turn. */
  rest?: (() => Promise<void>) | undefined
  /** Default 20,000. */
  maxTextsForExactTotal?: number
  /** How many of a kind are kept of each part for those who ask again. Default 64. */
  leaders?: number
}

/** So many candidates of which only the text tells are all looked at; of more, some for the counts and those that the page needs. */
const maxTextsForExactTotal = 20_000

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
  const { query, order, limit } = request
  const { signal, domainOf } = options
  if (query && isEmptyQuery(query)) return nothingFound(request.withFacets)
  const ranking = query && order === 'relevance' ? scoringTerms(query) : []
  const keeperOf = createKeeper(request)
  const surveying = { query, filter: createPartFilter(request.filters), ranking, keeperOf, signal }
  const slices = createSlices(request.priority === 'background' ? 'backgroundSearch' : 'search', options.rest)
  const surveys = await inLanes(parts, lanes, async (part) => {
    if (slices.isOver()) await slices.pause()
    return surveyPart(part, surveying)
  })
  const matches = surveys.map(({ match }) => match).filter((match) => match !== undefined)
  const statistics = request.statistics ?? request.after?.statistics ?? gatherStatistics(surveys)
  const paging = { order, ranking, statistics, leaders: options.leaders, slices, signal }
  const { counted, isExact, countsOf, hitsOf } = await settle(matches, request, { ...options, keeperOf, slices })
  const hits = await hitsOf((shown, keeper) => createPager(shown, { ...paging, keeperOf: keeper }))
  const shown = hits.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: await present(shown, matches, { keeperOf: isForSomebody(request) ? keeperOf : () => findAnew, slices }),
    total: counted.reduce((sum, { total }) => sum + total, 0),
    totalIsExact: isExact,
    ...(request.withFacets
      ? await countMatches(counted, { keeperOf: countsOf, domainOf, slices, signal })
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

type PagerOf = (matches: readonly Match[], keeperOf: KeeperOf) => Pager

/** What is counted, what keeps the counts, and how to get the hits of the page. */
type Answer = {
  counted: readonly Match[]
  isExact: boolean
  countsOf: KeeperOf
  hitsOf: (pagerOf: PagerOf) => Promise<Hit[]>
}

type SettleOptions = SearchOptions & { keeperOf: KeeperOf; slices: Slices }

/** Settles what only texts tell of, where there is such. */
const settle = async (matches: readonly Match[], request: SearchRequest, options: SettleOptions): Promise<Answer> => {
  const { query, after, limit } = request
  const { keeperOf, slices, signal, maxTextsForExactTotal: maxTexts = maxTextsForExactTotal } = options
  const hitsAmong =
    (these: readonly Match[], keeper: KeeperOf): Answer['hitsOf'] =>
    (pagerOf) =>
      pagerOf(these, keeper)(after, limit + 1)
  if (!query || !needsTexts(query))
    return { counted: matches, isExact: true, countsOf: keeperOf, hitsOf: hitsAmong(matches, keeperOf) }
  const doubted = await inLanes(matches, lanes, async (match) => {
    const { found, matched } = await match.reach()
    return { ...match, found, matched, doubtful: doubtfulAmong(query, found, matched) }
  })
  const { settled, isExact, counted: way } = await lookInTexts(doubted, { query, maxTexts, keeperOf, slices, signal })
  const counted = doubted.map(({ found, ...match }, index): Match => {
    const { matched, total } = settled[index] ?? match
    const reached: Reached = { found, matched }
    return { ...match, total, reach: async () => reached }
  })
  // What was counted of some of the texts is not what is counted of all.
  const countsOf = keeperFor(keeperOf, way)
  const hitsOf: Answer['hitsOf'] = isExact
    ? hitsAmong(counted, countsOf)
    : (pagerOf) => pageByTexts(query, doubted, pagerOf(matches, keeperOf), { after, limit, slices, signal })
  return { counted, isExact, countsOf, hitsOf }
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

/** Whether a page is as long as people read, and one of them waits for it: what goes through thousands does not come for the same again. */
const isForSomebody = ({ limit, priority }: SearchRequest): boolean => priority !== 'background' && limit <= maxKept
const maxKept = 100

/** About what an entry takes beside its text. */
const entryBytes = 1_024

/** Who asks the same again is mostly shown the same. */
const readEntries = (part: Part, documents: readonly number[], keep: Keep): Promise<readonly StoredEntry[]> =>
  keep(`entries ${documents.join(' ')}`, async () => {
    const value = await part.entries(documents)
    return { value, bytes: value.reduce((sum, { text }) => sum + text.length * 2 + entryBytes, 0) }
  })

/** The entries of hits, in their order; those of a part are read together. */
const present = async (
  hits: readonly Hit[],
  matches: readonly Match[],
  { keeperOf, slices }: { keeperOf: KeeperOf; slices: Slices },
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
          keeperOf(part),
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
