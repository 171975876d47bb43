import { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { inLanes } from '../search/lanes.ts'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest } from '../search/search.ts'
import { isFollowed } from '../tail/tail.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { attachedEntries, type Db } from './store.ts'
import type { AttachedEntryTable, IncidentTable } from './tables.ts'

export type EntriesOfIncident = {
  /** Sorted by time. */
  entries: Entry[]
  /** Ids of those of `entries` that are attached. */
  attachedIds: string[]
  /** Number of all entries: the attached ones and those of its window. */
  count: number
  /** Branches that did not respond. */
  missing: readonly string[]
}

/** Maximum number of entries attached to one incident. */
export const maxAttached = 1_000

/** The row of an attached entry. */
export const attachable = (incidentId: string, entry: StoredEntry, now: number): AttachedEntryTable => ({
  incident_id: incidentId,
  entry_id: entry.entryId,
  time: entry.effectiveTime,
  attached_at: now,
  content: JSON.stringify(presentEntry(entry)),
})

/** Fields that an older version did not write have their defaults. */
const attachedEntry = ({ content }: AttachedEntryTable): Entry => Entry.fromPartial(JSON.parse(content))

/** The search for the entries of an incident's window. */
const windowOf = ({
  query,
  source_id,
  started_at,
  ended_at,
}: IncidentTable): Pick<SearchRequest, 'query' | 'filters'> => ({
  query: query === null ? null : parseQuery(query),
  filters: {
    since: started_at,
    // The end is inclusive.
    ...(ended_at !== null && { until: ended_at + 1 }),
    ...(source_id !== null && { source: source_id }),
    ...(query === null && { severities: ['CRITICAL', 'ERROR', 'WARN'] as const }),
  },
})

export type IncidentEntriesOptions = {
  engine: Pick<LogEngine, 'search' | 'find'>
  db: Db
  limit: number
  signal?: AbortSignal
}

const lookUpsAtOnce = 8

/** Number of attached entries that the search of the window would find as well. */
const countWithin = async (
  incident: IncidentTable,
  attached: readonly AttachedEntryTable[],
  { engine, signal }: IncidentEntriesOptions,
): Promise<number> => {
  const { query, filters } = windowOf(incident)
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filters
  const candidates = attached.filter(({ time }) => since <= time && time < until)
  const isWithin = await inLanes(candidates, lookUpsAtOnce, async ({ entry_id }) => {
    const entry = await engine.find(entry_id, signal)
    return entry !== undefined && isFollowed(entry, filters, query)
  })
  return isWithin.filter(Boolean).length
}

/** The entries of an incident: the attached ones as they were when attached, then the earliest of its window, up to the limit. */
export const entriesOfIncident = async (
  incident: IncidentTable,
  options: IncidentEntriesOptions,
): Promise<EntriesOfIncident> => {
  const { engine, db, limit, signal } = options
  const [attached, found] = await Promise.all([
    attachedEntries(db, incident.id, maxAttached),
    engine.search({ ...windowOf(incident), order: 'oldest', limit, withFacets: false }, signal),
  ])
  const known = new Set(attached.map(({ entry_id }) => entry_id))
  const inWindow = found.entries.map(({ entry }) => entry)
  const others = inWindow.filter(({ entryId }) => !known.has(entryId))
  const seen = new Set(inWindow.map(({ entryId }) => entryId))
  const unseen = found.total > inWindow.length ? attached.filter(({ entry_id }) => !seen.has(entry_id)) : []
  const countedTwice = inWindow.length - others.length + (await countWithin(incident, unseen, options))
  const shown = attached.slice(0, limit)
  const placed = [
    ...shown.map((row) => ({ time: row.time, entry: attachedEntry(row) })),
    ...others
      .slice(0, limit - shown.length)
      .map((entry) => ({ time: entry.effectiveTime, entry: presentEntry(entry) })),
  ]
  return {
    entries: placed.toSorted((left, right) => left.time - right.time).map(({ entry }) => entry),
    attachedIds: shown.map(({ entry_id }) => entry_id),
    count: found.total + attached.length - countedTwice,
    missing: found.missing ?? [],
  }
}
