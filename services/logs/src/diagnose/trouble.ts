import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { TimeCounts } from '../search/histogram.ts'
import type { Query } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { densestOf, type Onset, onsetOf, overSpan, type Stretch, shortestStretchSeconds, stretchesOf } from './onset.ts'
import type { Grade } from './source-scan.ts'

/** The errors that a question is most nearly about: those of a source, those with its words, or all of its window. Warnings where there are none. */
export type Trouble = {
  grade: Exclude<Grade, 'entry'>
  /** Errors by time, as a search counts them; null where there are none. */
  errors: TimeCounts | null
  onset: Onset | undefined
  /** The first of them since they began. */
  first: StoredEntry | undefined
  /** Whether they are all errors of the window, since nothing nearer was found. */
  isWhole: boolean
  /** The source that they are all of, where they were looked for there. */
  sourceId?: string | undefined
}

/** A way to ask for errors, and its answer where there is one already. */
export type FailureSearch = {
  query: Query | null
  filters: Filters
  grade: Trouble['grade']
  known?: SearchResult | undefined
  /** Whether it asks for all errors of the window. */
  isWhole?: boolean
}

/** Counts by time are made finer around the worst until a stretch is no longer than this. */
const fineEnoughSeconds = 300
const maxZooms = 3

type Search = (request: SearchRequest) => Promise<SearchResult>

const countErrors = (search: Search, { query, filters }: FailureSearch): Promise<SearchResult> =>
  search({ query, filters, limit: 1, order: 'time', withFacets: true })

/** What is searched for, in a part of its window alone. Epoch milliseconds. */
const between = (filters: Filters, since: number, until: number) => ({
  ...filters,
  since: Math.max(since, filters.since ?? Number.NEGATIVE_INFINITY),
  until: Math.min(until, filters.until ?? Number.POSITIVE_INFINITY),
})

/** Errors in the stretches around the worst one, fine enough to say when it began. */
const zoomed = async (search: Search, searched: FailureSearch, errors: TimeCounts): Promise<TimeCounts> => {
  let found = errors
  for (let zoom = 0; zoom < maxZooms && found.bucketSeconds > fineEnoughSeconds; zoom += 1) {
    const length = found.bucketSeconds * 1000
    const worst = found.start + found.counts.indexOf(Math.max(...found.counts)) * length
    // The stretch before is looked at, too: what is worst in one may have begun at its end.
    const filters = between(searched.filters, worst - length, worst + length)
    const finer = await countErrors(search, { ...searched, filters })
    const spread = overSpan(finer.histogram, filters.since, filters.until - 1)
    if (!spread) return found
    found = spread
  }
  return found
}

/**
 * The densest minute; where that is not found with a few questions, the densest stretch of those counted at first. The stretch with most is
 * looked into until it is one of a minute: no minute elsewhere can have more than the stretch it lies in.
 */
const peakOf = async (search: Search, searched: FailureSearch, errors: TimeCounts): Promise<Stretch | undefined> => {
  let stretches = stretchesOf(errors)
  const known = densestOf(stretches)
  for (let looked = 0; ; looked += 1) {
    const densest = densestOf(stretches)
    if (!densest || densest.seconds <= shortestStretchSeconds) return densest
    if (looked === maxZooms) return known
    const filters = between(searched.filters, densest.time, densest.time + densest.seconds * 1000)
    const { histogram } = await countErrors(search, { ...searched, filters })
    stretches = stretches.filter((stretch) => stretch !== densest)
    if (histogram) stretches.push(...stretchesOf(histogram))
  }
}

/** The first way of asking that finds errors or warnings, when those began, and the first of them. */
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
      // What is no burst began with its first, which need not be near the worst.
      onset: onset && first && !onset.isBurst ? { ...onset, began: first.effectiveTime } : onset,
      first,
      isWhole,
      sourceId: way.query === null ? way.filters.source : undefined,
    }
  }
  return { grade: 'error', errors: null, onset: undefined, first: undefined, isWhole: ways.some((way) => way.isWhole) }
}
