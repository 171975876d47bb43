import type { StoredEntry } from '../entries/entry.ts'
import { orderOf } from '../entries/entry-order.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { keyPrefixOf } from '../segments/key-table.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Order, Rank } from './hits.ts'

const rankOf = (entry: StoredEntry, sign: 1 | -1): Rank => ({
  score: 0,
  time: sign * entry.effectiveTime,
  sequence: sign * orderOf(entry),
  key: sign * keyPrefixOf(keyOfEntryId(entry.entryId)),
})

/** An entry with the entries before and after it in its source, and in its branch if it belongs to one; oldest first. */
export const aroundEntry = async (
  engine: Pick<LogEngine, 'search'>,
  entry: StoredEntry,
  { before, after, signal }: { before: number; after: number; signal: AbortSignal },
): Promise<StoredEntry[]> => {
  const next = async (order: Order, sign: 1 | -1, limit: number): Promise<StoredEntry[]> => {
    if (limit === 0) return []
    const filters = { source: entry.origin.sourceId, branch: entry.origin.branch ?? 'none' }
    const request = { query: null, filters, limit, order, withFacets: false }
    return (await engine.search({ ...request, after: rankOf(entry, sign) }, signal)).entries.map((found) => found.entry)
  }
  const [older, newer] = await Promise.all([next('time', 1, before), next('oldest', -1, after)])
  return [...older.toReversed(), entry, ...newer]
}
