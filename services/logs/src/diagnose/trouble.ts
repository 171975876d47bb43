import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { TimeCounts } from '../search/histogram.ts'
import type { Query } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { densestOf, type Onset, onsetOf, overSpan, type Stretch, shortestStretchSeconds, stretchesOf } from './onset.ts'
import type { Grade } from './source-scan.ts'

/** The errors that are nearest to a question: those of a source, those with its words, or all of its window. Warnings if there are no errors. */
export type Trouble = {
  grade: Exclude<Grade, 'entry'>
  /** Counts of errors over time; null if there are none. */
  errors: TimeCounts | null
  onset: Onset | undefined
  /** The first of the errors since their onset. */
  first: StoredEntry | undefined
  /** Whether these are all errors of the window, because nothing nearer was found. */
  isWhole: boolean
  /** The source of all of them, if only that source was searched. */
  sourceId?: string | undefined
}

/** A search for errors, with its result if it is known already. */
export type FailureSearch = {
  query: Query | null
  filters: Filters
  grade: Trouble['grade']
  known?: SearchResult | undefined
  /** Whether it searches for all errors of the window. */
  isWhole?: boolean
}

/** Counts around the worst stretch are refined until its length is at most this. */
const fineEnoughSeconds = 300
const maxZooms = 3

type Search = (request: SearchRequest) => Promise<SearchResult>

const countErrors = (search: Search, { query, filters }: FailureSearch): Promise<SearchResult> =>
  search({ query, filters, limit: 1, order: 'time', withFacets: true })

/** Restricts filters to a part of their window. Epoch milliseconds. */
const between = (filters: Filters, since: number, until: number) => ({
  ...filters,
  since: Math.max(since, filters.since ?? Number.NEGATIVE_INFINITY),
  until: Math.min(until, filters.until ?? Number.POSITIVE_INFINITY),
})

/** Refines the counts around the worst stretch, so that they show when the errors began. */
const zoomed = async (search: Search, searched: FailureSearch, errors: TimeCounts): Promise<TimeCounts> => {
  let found = errors
  for (let zoom = 0; zoom < maxZooms && found.bucketSeconds > fineEnoughSeconds; zoom += 1) {
    const length = found.bucketSeconds * 1000
    const worst = found.start + found.counts.indexOf(Math.max(...found.counts)) * length
    // The previous stretch is included, because a burst may have begun at its end.
    const filters = between(searched.filters, worst - length, worst + length)
    const finer = await countErrors(search, { ...searched, filters })
    const spread = overSpan(finer.histogram, filters.since, filters.until - 1)
    if (!spread) return found
    found = spread
  }
  return found
}

/**
 * The minute with the most errors; if a few searches do not find it, the densest of the initial stretches. The densest stretch is split until
 * it is a minute: no minute elsewhere can have more errors than the stretch that contains it.
 */
const peakOf = async (search: Search, searched: FailureSearch, errors: TimeCounts): Promise<Stretch | undefined> => {
  let stretches = stretchesOf(errors)
  const known = densestOf(stretches)
  for (let zoom = 0; ; zoom += 1) {
    const densest = densestOf(stretches)
    if (!densest || densest.seconds <= shortestStretchSeconds) return densest
    if (zoom === maxZooms) return known
    const filters = between(searched.filters, densest.time, densest.time + densest.seconds * 1000)
    const { histogram } = await countErrors(search, { ...searched, filters })
    stretches = stretches.filter((stretch) => stretch !== densest)
    if (histogram) stretches.push(...stretchesOf(histogram))
  }
}

/** The trouble of the first search that finds errors or warnings: their onset and their first entry. */
export const findTrouble = async (search: Search, ways: readonly FailureSearch[]): Promise<Trouble> => {
  for (const way of ways) {
    const { histogram } = way.known ?? (await countErrors(search, way))
    if (!histogram || histogram.counts.every((count) => count === 0)) continue
    const { grade, isWhole = false } = way
    const last = histogram.start + histogram.counts.length * histogram.bucketSeconds * 1000 - 1
    const { since = histogram.start, until = last } = way.filters
    const spread = overSpan(histogram, since, until) ?? histogram
    const found = onsetOf(await zoomed(search, way, spread))
    const peak = found && (await peakOf(search, way, histogram))
    const onset = found && peak && { ...found, peak }
    const { entries } = await search({
      query: way.query,
      filters: { ...way.filters, since: onset?.isBurst ? Math.max(onset.began, since) : since },
      limit: 1,
      order: 'oldest',
      withFacets: false,
    })
    const first = entries[0]?.entry
    return {
      grade,
      errors: grade === 'error' ? histogram : null,
      // Without a burst, the onset is the first error, which may be far from the peak.
      onset: onset && first && !onset.isBurst ? { ...onset, began: first.effectiveTime } : onset,
      first,
      isWhole,
      sourceId: way.query === null ? way.filters.source : undefined,
    }
  }
  return { grade: 'error', errors: null, onset: undefined, first: undefined, isWhole: ways.some((way) => way.isWhole) }
}
