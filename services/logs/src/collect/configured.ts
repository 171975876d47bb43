import type { ConfiguredSource } from '@trellis/protos/ts/trellis/logs/v1/collect.ts'
import { addSourceCounts } from '../branches/merge-sources.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { CollectStateTables } from './collect-state-store.ts'
import { hostOf, type SourceEntry } from './source-entry.ts'

export type SourceRun = CollectStateTables['log_source_runs']

/** The configured source that entries belong to: the one with the longest source id that theirs begins with. */
const ownerOf = (bySourceId: ReadonlyMap<string, string>, sourceId: string): string | undefined => {
  for (let end = sourceId.length; end > 0; end = sourceId.lastIndexOf(':', end - 1)) {
    const owner = bySourceId.get(sourceId.slice(0, end))
    if (owner !== undefined) return owner
  }
  return undefined
}

const isoOrNull = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())

const row = (entry: SourceEntry, counts: readonly SourceCount[], run: SourceRun | undefined): ConfiguredSource => {
  const [first, ...rest] = counts
  const total = first && rest.reduce((sum, count) => addSourceCounts(sum, count), first)
  return {
    id: entry.id,
    sourceId: entry.sourceId,
    transport: entry.transport,
    gleanType: entry.gleanType,
    host: hostOf(entry),
    path: 'path' in entry ? (entry.path ?? null) : null,
    enabled: entry.enabled,
    entryCount: total?.entries ?? 0,
    errorCount: total ? total.bySeverity[1] + total.bySeverity[2] : 0,
    firstSeen: isoOrNull(total?.firstTime),
    lastSeen: isoOrNull(total?.lastTime),
    unitCount: counts.length,
    lastGlean: run?.last_glean ?? null,
    lastError: run?.last_error ?? null,
  }
}

/** Configured sources with statistics of their entries; entries that belong to none of them are ignored. */
export const describeConfigured = (
  entries: readonly SourceEntry[],
  counts: readonly SourceCount[],
  runs: readonly SourceRun[],
): ConfiguredSource[] => {
  const bySourceId = new Map(entries.map(({ id, sourceId }) => [sourceId, id]))
  const byEntry = Map.groupBy(counts, ({ sourceId }) => ownerOf(bySourceId, sourceId))
  const runOf = new Map(runs.map((run) => [run.source, run]))
  return entries.map((entry) => row(entry, byEntry.get(entry.id) ?? [], runOf.get(entry.id)))
}
