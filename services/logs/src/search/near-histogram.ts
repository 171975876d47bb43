import type { LogEngine } from '../threads/log-engine.ts'
import type { Filters } from './filters.ts'
import type { Histogram, TimeCounts } from './histogram.ts'
import type { SearchRequest, SearchResult } from './search.ts'

/** A histogram, and the numbers of matches before and after it. */
export type NearHistogram = Near<Histogram>
type Near<Counts> = Counts & { earlier: number; later: number }
export type NearCounts = Near<TimeCounts>

export type NearResult = Omit<SearchResult, 'histogram'> & { histogram: NearHistogram | null }

/** Entries that are further in the future come from a wrong clock. */
const maxAheadMilliseconds = 86_400_000
/** Earlier entries come from a clock that was never set: such clocks begin in 1970. */
const firstLogs = Date.parse('1971-01-01T00:00:00Z')
/** A histogram with shorter buckets is narrow enough to be readable. */
const farBucketSeconds = 604_800
/** The bulk contains all but at most this share of the matches ... */
const maxFar = 0.1
/** ... in this share of the buckets, the last ones, while nearly all other buckets are empty. */
const bulkBuckets = 0.1
/** Maximum number of cuts; each cut may reveal that another one is needed. */
const maxCuts = 4

export type NearOptions = { engine: Pick<LogEngine, 'search'>; now: () => number; signal: AbortSignal }

/** The matches that are counted over time. */
type Counted = { histogram: Histogram; filters: Filters; total: number; earlier: number; later: number }

const lastBucketOf = ({ start, bucketSeconds, counts }: Histogram): number =>
  start + (counts.length - 1) * bucketSeconds * 1000

/**
 * The beginning of the bulk in epoch milliseconds: nine tenths of the matches are in the last tenth of several years, and only few are before them, in
 * few buckets. Undefined if there are many old entries, or spread ones, as in logs that are really old.
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

/** The `until` or `since` to count with instead; undefined if the histogram contains no far entries. */
const cutOf = ({ histogram, filters }: Counted, original: Filters, horizon: number): Partial<Filters> | undefined => {
  const isTooLate = original.until === undefined && filters.until === undefined && lastBucketOf(histogram) >= horizon
  if (isTooLate && (original.since ?? Number.NEGATIVE_INFINITY) < horizon) return { until: horizon }
  if (original.since !== undefined || (original.until ?? Number.POSITIVE_INFINITY) <= firstLogs) return undefined
  const since = histogram.start < firstLogs ? firstLogs : bulkBegins(histogram)
  return since !== undefined && since > (filters.since ?? Number.NEGATIVE_INFINITY) ? { since } : undefined
}

/**
 * The histogram of a search without entries that are far from all others: one entry of the year 9999, or of 1970, would leave a single bucket
 * for the rest. Excluded are entries from more than a day in the future, from before 1971, and few ones that are years older than the bulk; they are
 * counted as `later` and `earlier`. If the request has a `since` or `until`, nothing is excluded on that side, nor if there are no other entries. The
 * rest is only counted again if there are such entries.
 */
export const nearHistogram = async (
  { histogram: whole, total }: Pick<SearchResult, 'histogram' | 'total'>,
  { query, filters: original, withFacets }: Pick<SearchRequest, 'query' | 'filters' | 'withFacets'>,
  { engine, now, signal }: NearOptions,
): Promise<NearHistogram | null> => {
  if (!whole) return null
  const horizon = now() + maxAheadMilliseconds
  let near: Counted = { histogram: whole, filters: original, total, earlier: 0, later: 0 }
  for (let cuts = 0; cuts < maxCuts; cuts += 1) {
    const cut = cutOf(near, original, horizon)
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

/** A search whose histogram excludes far entries. */
export const searchNear = async (request: SearchRequest, options: NearOptions): Promise<NearResult> => {
  const result = await options.engine.search(request, options.signal)
  return { ...result, histogram: await nearHistogram(result, request, options) }
}
