import { rankOfEntry } from '../branches/merge-results.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { decodeCursor, encodeCursor } from '../search/cursor.ts'
import type { Filters } from '../search/filters.ts'
import { compareRanks, type Place } from '../search/hits.ts'
import type { Query } from '../search/query.ts'
import type { SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Positions } from './merge-tails.ts'

/** Where a reader broke off in the history: behind the last entry that was shown, and up to the last of all. */
export type HistoryPlace = { shown: Place; end: Place }

/** No branch is named so. */
const historyName = '.'
const pageEntries = 1_000
/** Entries that came late may lie among those that were to come; past so many, what is left of the history is not read any more. */
const maxPages = 10

const placeOf = (entry: StoredEntry): Place => ({
  ...rankOfEntry(entry, 0, 'oldest'),
  shard: entry.origin.branch ?? '',
})

/**
 * The ids of the entries of a history: the place behind which is what is new, and where the reader is in what is old. With the last of them it
 * is the place alone.
 */
export const historyIds = (place: string, entries: readonly StoredEntry[]): string[] => {
  const last = entries.at(-1)
  const end = last ? encodeCursor(placeOf(last)) : ''
  return entries.map((entry) =>
    entry === last ? place : `${place}~${historyName}=${encodeCursor(placeOf(entry))}.${end}`,
  )
}

/** Takes the place in the history out of a reader's places; undefined where it has seen all of it. */
export const takeHistoryPlace = (positions: Positions): HistoryPlace | undefined => {
  const [shown, end] = (positions.get(historyName) ?? '').split('.').map(decodeCursor)
  positions.delete(historyName)
  return shown && end ? { shown, end } : undefined
}

export type HistoryQuestion = { query: Query | null; filters: Filters }
type Engine = Pick<LogEngine, 'search'>

/** The newest entries, oldest first. */
export const newestEntries = async (
  engine: Engine,
  { query, filters, history }: HistoryQuestion & { history: number },
  signal: AbortSignal,
): Promise<StoredEntry[]> => {
  if (history === 0) return []
  const { entries } = await engine.search({ query, filters, limit: history, order: 'time', withFacets: false }, signal)
  return entries.map(({ entry }) => entry).reverse()
}

/** The entries that a reader that broke off among the newest was to be shown, oldest first; what came late since may be among them. */
export const restOfHistory = async (
  engine: Engine,
  { query, filters, shown, end }: HistoryQuestion & HistoryPlace,
  signal: AbortSignal,
): Promise<StoredEntry[]> => {
  // Oldest first, times are negated.
  const until = Math.min(filters.until ?? Number.POSITIVE_INFINITY, 1 - end.time)
  const found: StoredEntry[] = []
  let after: Place | null = shown
  for (let page = 0; after !== null && page < maxPages; page += 1) {
    const { entries, next }: SearchResult = await engine.search(
      { query, filters: { ...filters, until }, limit: pageEntries, order: 'oldest', withFacets: false, after },
      signal,
    )
    for (const { entry } of entries) if (compareRanks(placeOf(entry), end) <= 0) found.push(entry)
    after = next
  }
  return found
}
