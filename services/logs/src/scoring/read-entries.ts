import type { StoredEntry } from '../entries/entry.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'

type Engine = Pick<LogEngine, 'search'>
type Options = {
  query: Query | null
  filters: Filters & { source: string; since: number; until: number }
  limit: number
  signal: AbortSignal
}

/** Entries per page; a page is in memory as a whole. */
const maxOnPage = 2_000
/** Time spans in ms. Each page scans all matches in its time span, so spans adapt to contain about one page. */
const firstStretch = 10_000
const minStretch = 1_000
const growth = 4

const nextStretch = (stretch: number, found: number): number => {
  if (found > maxOnPage) return Math.max(minStretch, stretch / growth)
  return found * growth < maxOnPage ? stretch * growth : stretch
}

/** Pages of entries in one time span. Sources whose names begin with this source's name are excluded. */
async function* pagesOf(
  engine: Engine,
  { query, filters, limit, signal }: Options,
  order: 'oldest' | 'time',
): AsyncGenerator<{ entries: StoredEntry[]; found: number; total: number }> {
  let after: SearchResult['next'] = null
  for (let left = limit; left > 0; ) {
    const page: SearchResult = await engine.search(
      { query, filters, limit: Math.min(left, maxOnPage), order, withFacets: false, ...(after && { after }) },
      signal,
    )
    const entries = page.entries.flatMap(({ entry }) => (entry.origin.sourceId === filters.source ? [entry] : []))
    yield { entries, found: page.entries.length, total: page.total }
    left -= page.entries.length
    if (page.next === null) return
    after = page.next
  }
}

/** Reads up to `limit` entries of one source in time order, oldest first. */
export async function* readEntries(engine: Engine, options: Options): AsyncGenerator<StoredEntry> {
  const { filters, limit } = options
  let left = limit
  let stretch = firstStretch
  for (let since = filters.since; since < filters.until && left > 0; ) {
    const until = Math.min(filters.until, since + stretch)
    let total = 0
    for await (const page of pagesOf(
      engine,
      { ...options, filters: { ...filters, since, until }, limit: left },
      'oldest',
    )) {
      total = page.total
      left -= page.found
      yield* page.entries
    }
    since = until
    stretch = nextStretch(stretch, total)
  }
}

/** Reads the newest entries of one source, at most `limit`, and returns them oldest first. Older entries are not scanned. */
export const newestEntries = async (engine: Engine, options: Options): Promise<StoredEntry[]> => {
  const { filters, limit } = options
  const newestFirst: StoredEntry[] = []
  let left = limit
  let stretch = firstStretch
  for (let until = filters.until; until > filters.since && left > 0; ) {
    const since = Math.max(filters.since, until - stretch)
    let total = 0
    for await (const page of pagesOf(
      engine,
      { ...options, filters: { ...filters, since, until }, limit: left },
      'time',
    )) {
      total = page.total
      left -= page.found
      newestFirst.push(...page.entries)
    }
    until = since
    stretch = nextStretch(stretch, total)
  }
  return newestFirst.reverse()
}
