import { rankOfEntry } from '../branches/merge-results.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { decodeCursor, encodeCursor } from '../search/cursor.ts'
import type { Filters } from '../search/filters.ts'
import { compareRanks, type Position } from '../search/hits.ts'
import type { Query } from '../search/query.ts'
import type { SearchResult } from '../search/search.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Positions } from './merge-tails.ts'

/** Where a reader disconnected in the history: after the entry `shown`; `end` is the last entry of the history. */
export type HistoryPosition = { shown: Position; end: Position }

/** The name of the history among the positions. No branch can have it. */
const historyName = '.'
const pageEntries = 1_000
/** Late entries may lie among those still to be shown; after this many pages the rest of the history is dropped. */
const maxPages = 10

const rankOf = (entry: StoredEntry): Position => ({
  ...rankOfEntry(entry, 0, 'oldest'),
  shard: entry.origin.branch ?? '',
})

/**
 * The ids of the entries of a history. Each consists of the position after which new entries follow and of the position in the history; the id
 * of the last entry is the former alone.
 */
export const historyIds = (position: string, entries: readonly StoredEntry[]): string[] => {
  const last = entries.at(-1)
  const end = last ? encodeCursor(rankOf(last)) : ''
  return entries.map((entry) =>
    entry === last ? position : `${position}~${historyName}=${encodeCursor(rankOf(entry))}.${end}`,
  )
}

/** Removes the position in the history from a reader's positions and returns it; undefined if the reader has received all of the history. */
export const takeHistoryPosition = (positions: Positions): HistoryPosition | undefined => {
  const [shown, end] = (positions.get(historyName) ?? '').split('.').map(decodeCursor)
  positions.delete(historyName)
  return shown && end ? { shown, end } : undefined
}

export type HistoryParameters = { query: Query | null; filters: Filters }
type Engine = Pick<LogEngine, 'search'>

/** The newest entries, oldest first. */
export const newestEntries = async (
  engine: Engine,
  { query, filters, history }: HistoryParameters & { history: number },
  signal: AbortSignal,
): Promise<StoredEntry[]> => {
  if (history === 0) return []
  const { entries } = await engine.search({ query, filters, limit: history, order: 'time', withFacets: false }, signal)
  return entries.map(({ entry }) => entry).reverse()
}

/** The rest of the history for a reader that disconnected in it, oldest first; entries that arrived late may be among them. */
export const restOfHistory = async (
  engine: Engine,
  { query, filters, shown, end }: HistoryParameters & HistoryPosition,
  signal: AbortSignal,
): Promise<StoredEntry[]> => {
  // With the order `oldest`, ranks have negated times.
  const until = Math.min(filters.until ?? Number.POSITIVE_INFINITY, 1 - end.time)
  const found: StoredEntry[] = []
  let after: Position | null = shown
  for (let page = 0; after !== null && page < maxPages; page += 1) {
    const { entries, next }: SearchResult = await engine.search(
      { query, filters: { ...filters, until }, limit: pageEntries, order: 'oldest', withFacets: false, after },
      signal,
    )
    for (const { entry } of entries) if (compareRanks(rankOf(entry), end) <= 0) found.push(entry)
    after = next
  }
  return found
}
