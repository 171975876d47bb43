import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { LogEngine } from '../threads/log-engine.ts'

export type ThrottledSearchOptions = { engine: Pick<LogEngine, 'search'>; sourceId: string; signal: AbortSignal }

/** Returns the oldest `limit` entries of one source that pass the filters. */
export type ThrottledSearch = (filters: Filters, limit: number) => Promise<StoredEntry[]>

/** Pauses after each search for as long as the search took, so that other searches have priority. */
export const createThrottledSearch =
  ({ engine, sourceId, signal }: ThrottledSearchOptions): ThrottledSearch =>
  async (filters, limit) => {
    const began = performance.now()
    const { entries } = await engine.search(
      { query: null, filters: { ...filters, source: sourceId }, limit, order: 'oldest', withFacets: false },
      signal,
    )
    await sleep(performance.now() - began, undefined, { signal })
    // A source that is the stem of others is read without those.
    return entries.flatMap(({ entry }) => (entry.origin.sourceId === sourceId ? [entry] : []))
  }
