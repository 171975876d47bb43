import type { LogEngine } from '../threads/log-engine.ts'
import type { Filters } from './filters.ts'
import type { Histogram, TimeCounts } from './histogram.ts'
import type { SearchRequest, SearchResult } from './search.ts'

/** A histogram, and how many of the matches are before and behind all of it. */
export type NearHistogram = Near<Histogram>
type Near<Counts> = Counts & { earlier: number; later: number }
export type NearCounts = Near<TimeCounts>

export type NearResult = Omit<SearchResult, 'histogram'> & { histogram: NearHistogram | null }

/** Nobody's clock is ahead by more, but one that is broken. */
const maxAheadMilliseconds = 86_400_000
/** Nobody's log is older, but by a clock that was never set: those begin in 1970. */
const firstLogs = Date.parse('1971-01-01T00:00:00Z')
/** A histogram whose buckets are shorter is narrow enough to be read whole. */
const farBucketSeconds = 604_800
/** All but this share of the matches are the bulk ... */
const maxFar = 0.1
/** ... where they lie in this share of the buckets, the last ones, and nearly all of the buckets are empty. */
const bulkBuckets = 0.1
/** Each time what is left out may show that there is more. */
const maxCuts = 4

export type NearOptions = { engine: Pick<LogEngine, 'search'>; now: () => number; signal: AbortSignal }

/** What of the matches is counted by time. */
type Counted = { histogram: Histogram; filters: Filters; total: number; earlier: number; later: number }

const lastBucketOf = ({ start, bucketSeconds, counts }: Histogram): number =>
  start + (counts.length - 1) * bucketSeconds * 1000

/**
 * Where the bulk begins, in epoch milliseconds: nine tenths of the matches lie in the last tenth of years, and before them are only few, in few
 * places. Undefined where what is old is many, or is spread, as in logs that are truly old.
 */
export const bulkBegins = ({ start, bucketSeconds, counts }: Histogram): number | undefined => {
  if (bucketSeconds < farBucketSeconds) return undefined
  const last = Math.floor(counts.length * (1 - bulkBuckets))
  const inBulk = counts.findIndex((count, bucket) => bucket >= last && count > 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const far = counts.slice(0, inBulk).reduce((sum, count) => sum + count, 0)
  const isSpread = counts.filter((count) => count > 0).length > counts.length * bulkBuckets
  if (far === 0 || far > total * maxFar || isSpread) return undefined
  return start + inBulk * bucketSeconds * 1000
}

/** Until when, or from when on, to count instead; undefined where the histogram is of all that is near. */
const cutOf = ({ histogram, filters }: Counted, asked: Filters, horizon: number): Partial<Filters> | undefined => {
  const isTooLate = asked.until === undefined && filters.until === undefined && lastBucketOf(histogram) >= horizon
  if (isTooLate && (asked.since ?? Number.NEGATIVE_INFINITY) < horizon) return { until: horizon }
  if (asked.since !== undefined || (asked.until ?? Number.POSITIVE_INFINITY) <= firstLogs) return undefined
  const since = histogram.start < firstLogs ? firstLogs : bulkBegins(histogram)
  return since !== undefined && since > (filters.since ?? Number.NEGATIVE_INFINITY) ? { since } : undefined
}

/**
 * The histogram of what was found, without what is far from all else: one entry of the year 9999, or one of 1970, would leave a single bucket
 * for all others. Left out is what says that it is from more than a day ahead, what says that it is older than 1971, and what is few and years
 * before the bulk; it is counted as `later` and `earlier`. Whoever names a beginning or an end is shown all on that side, and so is who has
 * nothing else. Only where there are such entries the rest is counted once more.
 */
export const nearHistogram = async (
  { histogram: whole, total }: Pick<SearchResult, 'histogram' | 'total'>,
  { query, filters: asked, withFacets }: Pick<SearchRequest, 'query' | 'filters' | 'withFacets'>,
  { engine, now, signal }: NearOptions,
): Promise<NearHistogram | null> => {
  if (!whole) return null
  const horizon = now() + maxAheadMilliseconds
  let near: Counted = { histogram: whole, filters: asked, total, earlier: 0, later: 0 }
  for (let cuts = 0; cuts < maxCuts; cuts += 1) {
    const cut = cutOf(near, asked, horizon)
    if (!cut) break
    const filters = { ...near.filters, ...cut }
    const found = await engine.search({ query, filters, limit: 1, order: 'time', withFacets }, signal)
    if (!found.histogram) break
    const side = cut.until === undefined ? 'earlier' : 'later'
    const left = Math.max(0, near.total - found.total)
    near = { ...near, histogram: found.histogram, filters, total: found.total, [side]: near[side] + left }
  }
  return { ...near.histogram, earlier: near.earlier, later: near.later }
}

/** A search whose histogram is of what is near, and otherwise as it is. */
export const searchNear = async (request: SearchRequest, options: NearOptions): Promise<NearResult> => {
  const result = await options.engine.search(request, options.signal)
  return { ...result, histogram: await nearHistogram(result, request, options) }
}
