import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { LogEngine } from '../threads/log-engine.ts'

export type RestingSearchOptions = { engine: Pick<LogEngine, 'search'>; sourceId: string; signal: AbortSignal }

/** Gives the oldest so many entries of one source that filters let through. */
export type RestingSearch = (filters: Filters, limit: number) => Promise<StoredEntry[]>

/** Searches that rest for as long as each took, so that whoever else searches comes first. */
export const createRestingSearch =
  ({ engine, sourceId, signal }: RestingSearchOptions): RestingSearch =>
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
