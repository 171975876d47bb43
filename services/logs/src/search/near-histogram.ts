import type { LogEngine } from '../threads/log-engine.ts'
import type { Histogram } from './histogram.ts'
import type { SearchRequest, SearchResult } from './search.ts'

/** A histogram, and how many of the matches are later than all of it. */
export type NearHistogram = Histogram & { later: number }

/** Nobody's clock is ahead by more, but one that is broken. */
const mostAheadMilliseconds = 86_400_000

export type NearHistogramOptions = { engine: Pick<LogEngine, 'search'>; now: () => number; signal: AbortSignal }

/**
 * The histogram of what was found, without what says that it is from more than a day ahead: one entry of the year 9999 would leave a single
 * bucket for all others. What is left out is counted. Whoever names an end, or has nothing else, is shown what is there. Only where there is
 * such an entry the rest is counted once more.
 */
export const nearHistogram = async (
  { histogram, total }: Pick<SearchResult, 'histogram' | 'total'>,
  { query, filters, withFacets }: Pick<SearchRequest, 'query' | 'filters' | 'withFacets'>,
  { engine, now, signal }: NearHistogramOptions,
): Promise<NearHistogram | null> => {
  if (!histogram) return null
  const { start, bucketSeconds, counts } = histogram
  const lastBucket = start + (counts.length - 1) * bucketSeconds * 1000
  const horizon = now() + mostAheadMilliseconds
  const asked = filters.until !== undefined || (filters.since ?? Number.NEGATIVE_INFINITY) >= horizon
  if (asked || lastBucket < horizon) return { ...histogram, later: 0 }
  const near = await engine.search(
    { query, filters: { ...filters, until: horizon }, limit: 1, order: 'time', withFacets },
    signal,
  )
  return near.histogram ? { ...near.histogram, later: Math.max(0, total - near.total) } : { ...histogram, later: 0 }
}
