import { randomUUID } from 'node:crypto'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { recordMissing } from '../../branches/note-missing.ts'
import type { StoredEntry } from '../../entries/entry.ts'
import { isOfSource } from '../../search/filters.ts'
import type { Position } from '../../search/hits.ts'
import type { LogEngine } from '../../threads/log-engine.ts'
import {
  type BlocklistTables,
  type CandidateTable,
  candidatesOf,
  deleteOldestCandidates,
  findWindow,
  insertCandidates,
  saveScannedSource,
  saveSightings,
  saveWindow,
  scannedSources,
  scannedWindows,
} from '../store.ts'
import { isEssential } from './domains.ts'
import { allSightings, type Counted, countSightings, mergeDevices, newSightings } from './sightings.ts'
import { changedHours, hour, linesQuery } from './windows.ts'

/** Maximum of undecided candidates; beyond it, those last seen longest ago are deleted. */
export const maxCandidates = 10_000
/** Maximum of entries that are read per hour and source, newest first. */
const maxEntries = 100_000
const pageEntries = 1_000
const maxSourcesOfCandidate = 50

export type ScanResult = {
  entriesRead: number
  domains: number
  newCandidates: number
  /** Whether the scan reached the end; otherwise the next one continues. */
  isComplete: boolean
  /** Branches that did not respond; the next scan reads what they have. */
  missing: readonly string[]
}

export type ScanOptions = {
  db: Kysely<BlocklistTables>
  engine: Pick<LogEngine, 'search' | 'sources'>
  /** Sources and prefixes of sources to scan; empty for all. */
  sourceIds: readonly string[]
  /** Names that are never proposed, including their subdomains. */
  own: readonly string[]
  /** Called between hours; false stops the scan, and the next one continues there. */
  mayContinue: () => Promise<boolean>
  signal: AbortSignal
}

const readHour = async ({ engine, signal }: ScanOptions, sourceId: string, start: number): Promise<StoredEntry[]> => {
  const read: StoredEntry[] = []
  let after: Position | null = null
  do {
    const found = await engine.search(
      {
        query: linesQuery,
        filters: { source: sourceId, since: start, until: start + hour },
        limit: pageEntries,
        order: 'time',
        withFacets: false,
        ...(after && { after }),
      },
      signal,
    )
    read.push(...found.entries.map(({ entry }) => entry).filter(({ origin }) => origin.sourceId === sourceId))
    after = found.next
  } while (after && read.length < maxEntries)
  return read
}

const newCandidate = (sourceId: string, { domain, count, first, last, devices }: Counted): CandidateTable => ({
  id: randomUUID(),
  domain,
  status: 'candidate',
  count,
  first_seen: first,
  last_seen: last,
  source_ids: JSON.stringify([sourceId]),
  devices: JSON.stringify(devices),
  last_error: null,
})

const seenAgain = (
  known: CandidateTable,
  sourceId: string,
  { count, first, last, devices }: Counted,
): CandidateTable => {
  const sources = new Set<string>([...JSON.parse(known.source_ids), sourceId])
  return {
    ...known,
    count: known.count + count,
    first_seen: Math.min(known.first_seen, first),
    last_seen: Math.max(known.last_seen, last),
    source_ids: JSON.stringify([...sources].slice(0, maxSourcesOfCandidate)),
    devices: JSON.stringify(mergeDevices(JSON.parse(known.devices), devices)),
  }
}

type Hour = { sourceId: string; start: number; entries: number; counted: Counted[] }

/** Stores the counts of an hour and adds the difference to the candidates in one transaction, so that a crash makes nothing count twice. */
const saveHour = (db: Kysely<BlocklistTables>, { sourceId, start, entries, counted }: Hour): Promise<number> =>
  transact(db, async (transaction) => {
    const before = await findWindow(transaction, sourceId, start)
    if (before?.entries === entries) return 0
    const seen: Counted[] = before ? JSON.parse(before.sightings) : []
    const added = newSightings(seen, counted)
    const known = new Map(
      (
        await candidatesOf(
          transaction,
          added.map(({ domain }) => domain),
        )
      ).map((row) => [row.domain, row]),
    )
    const unknown = added.filter(({ domain }) => !known.has(domain))
    await insertCandidates(
      transaction,
      unknown.map((one) => newCandidate(sourceId, one)),
    )
    for (const one of added) {
      const row = known.get(one.domain)
      if (row) await saveSightings(transaction, seenAgain(row, sourceId, one))
    }
    await saveWindow(transaction, {
      source_id: sourceId,
      start,
      entries,
      sightings: JSON.stringify(allSightings(seen, counted)),
    })
    return unknown.length
  })

/**
 * Finds domains in entries that arrived since the last scan, whatever their time: an hour of a source that has another number of entries than before
 * is counted again, and what is new is added. Late lines and old files count, and no line counts twice.
 */
export const scan = async (input: ScanOptions): Promise<ScanResult> => {
  const { engine, missing } = recordMissing(input.engine)
  const options = { ...input, engine }
  const { db, sourceIds, own, mayContinue, signal } = options
  const isIncluded = (sourceId: string) =>
    sourceIds.length === 0 || sourceIds.some((named) => isOfSource(sourceId, named))
  const isExcluded = (domain: string) => isEssential(domain, own)
  const domains = new Set<string>()
  const result = { entriesRead: 0, newCandidates: 0 }
  const done = (isAll: boolean): ScanResult => ({
    ...result,
    domains: domains.size,
    isComplete: isAll && missing().length === 0,
    missing: missing(),
  })
  const scanned = await scannedSources(db)
  const sources = (await engine.sources({}, signal)).filter(({ sourceId }) => isIncluded(sourceId))
  for (const { sourceId, entries, firstTime, lastTime } of sources) {
    if (scanned.get(sourceId) === entries) continue
    const known = await scannedWindows(db, sourceId)
    for await (const window of changedHours(engine, { sourceId, firstTime, lastTime }, known, signal)) {
      if (!(await mayContinue())) return done(false)
      const read = await readHour(options, sourceId, window.start)
      const counted = countSightings(read, isExcluded)
      for (const { domain } of counted) domains.add(domain)
      result.entriesRead += read.length
      result.newCandidates += await saveHour(db, { sourceId, ...window, counted })
    }
    await saveScannedSource(db, sourceId, entries)
  }
  await deleteOldestCandidates(db, maxCandidates)
  return done(true)
}
