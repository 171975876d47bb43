import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'

type Options = { query: Query | null; filters: Filters & { source: string }; limit: number; signal: AbortSignal }

/** Each page costs a pass over what matches, and is in memory at once. */
const mostOnPage = 2_000

/** Entries of one source in the order of time, oldest first, at most so many. A source that is the stem of others is read without those. */
export async function* readEntries(
  engine: Pick<LogEngine, 'search'>,
  { query, filters, limit, signal }: Options,
): AsyncGenerator<StoredEntry> {
  let after: SearchResult['next'] = null
  for (let left = limit; left > 0; ) {
    const page: SearchResult = await engine.search(
      {
        query,
        filters,
        limit: Math.min(left, mostOnPage),
        order: 'oldest',
        withFacets: false,
        ...(after && { after }),
      },
      signal,
    )
    for (const { entry } of page.entries) if (entry.origin.sourceId === filters.source) yield entry
    left -= page.entries.length
    if (page.next === null) return
    after = page.next
  }
}

/** A query for entries that have any of some words. */
export const anyOf = (words: readonly string[]): Query => ({
  clauses: [[...new Set(words)].map((word) => ({ words: [word], isPrefix: false }))],
  excluded: [],
})
