import type { Leases } from '@trellis/kit/leases'
import { startRounds } from '@trellis/kit/lifecycle'
import type { Dependencies } from '../../dependencies.ts'
import type { StoredEntry } from '../../entries/entry.ts'
import { isStorable } from '../../entries/usable-id.ts'
import type { Filters } from '../../search/filters.ts'
import type { IncidentDb } from '../all-tables.ts'
import { type ClusterRule, type ErrorMoment, findClusters } from './find-clusters.ts'
import { recordCluster } from './record-cluster.ts'
import { findEvaluated, saveEvaluated, settledUntil } from './store.ts'

export type AutomaticIncidentsOptions = {
  db: IncidentDb
  leases: Pick<Leases, 'take'>
  dependencies: Pick<Dependencies, 'engine' | 'log' | 'now'>
  rule: ClusterRule
  /** A value that changes when entries arrive; read in every round. */
  arrivals: () => Promise<string>
  roundMilliseconds?: number
}

/** An error that arrives later than this after it happened creates no incident, such as that of an uploaded old file. */
const latenessMilliseconds = 3_600_000
/** A time span without evaluation is evaluated afterwards, up to this length. */
const maxCaughtUp = 24 * 3_600_000
const evaluationLease = 'automatic incidents'
const maxRead = 1_000
/** If there are more errors than one search returns, sources are searched one by one, those with the most errors first. */
const maxSources = 100

const momentOf = ({ effectiveTime, repeatCount, severity }: StoredEntry): ErrorMoment => ({
  time: effectiveTime,
  count: repeatCount,
  isCritical: severity === 'CRITICAL',
})

const bySource = (entries: readonly StoredEntry[]): Map<string, ErrorMoment[]> => {
  const sources = new Map<string, ErrorMoment[]>()
  for (const entry of entries) {
    const moments = sources.get(entry.origin.sourceId)
    if (moments) moments.push(momentOf(entry))
    else sources.set(entry.origin.sourceId, [momentOf(entry)])
  }
  return sources
}

/**
 * Creates incidents from clusters of errors, by the times of the entries, including those of branches. It evaluates all errors of the last hour
 * whenever entries have arrived, so that it needs no state in memory: a restart neither repeats nor misses a cluster.
 */
export const createAutomaticIncidents = (options: AutomaticIncidentsOptions): AsyncDisposable => {
  const { db, leases, dependencies, rule, arrivals, roundMilliseconds = 4_000 } = options
  const { engine, log, now } = dependencies
  const ending = new AbortController()
  const { signal } = ending

  const errorsWithin = async (filters: Filters) =>
    engine.search(
      {
        query: null,
        filters: { ...filters, severities: ['CRITICAL', 'ERROR'] },
        order: 'time',
        limit: maxRead,
        withFacets: true,
      },
      signal,
    )
  /** Recent errors by source: all of them, or if there are too many the newest of each source. */
  const recentErrors = async (filters: Filters): Promise<Map<string, ErrorMoment[]>> => {
    const found = await errorsWithin(filters)
    const sources = bySource(found.entries.map(({ entry }) => entry))
    if (found.total <= found.entries.length) return sources
    const counted = (found.facets?.source ?? []).slice(0, maxSources)
    for (const { value } of counted) {
      const own = await errorsWithin({ ...filters, source: value })
      const moments = bySource(own.entries.map(({ entry }) => entry)).get(value)
      if (moments) sources.set(value, moments)
    }
    return sources
  }
  const skippedSources = new Set<string>()
  const skipSource = (sourceId: string) => {
    if (skippedSources.has(sourceId)) return
    if (skippedSources.size >= maxSources) skippedSources.clear()
    skippedSources.add(sourceId)
    log.warn({ sourceId }, 'a source id cannot be stored in a database, so no incidents are created; delete the source')
  }
  const evaluate = async (evaluatedUntil: number, at: number, leaseSignal: AbortSignal): Promise<void> => {
    const late = Math.max(latenessMilliseconds, rule.windowMilliseconds)
    const since = Math.max(Math.min(evaluatedUntil, at) - late, at - Math.max(maxCaughtUp, late))
    // Clocks differ: entries from further in the future are evaluated when their time has come.
    const sources = await recentErrors({ since, until: at + rule.windowMilliseconds })
    for (const [sourceId, moments] of sources) {
      if (!isStorable(sourceId)) {
        skipSource(sourceId)
        continue
      }
      const settled = await settledUntil(db, sourceId)
      const unsettled = moments.filter(({ time }) => time > settled)
      for (const cluster of findClusters(unsettled, rule)) {
        leaseSignal.throwIfAborted()
        const isNew = await recordCluster({ db, sourceId, cluster, rule, now: now() })
        if (isNew) log.info({ sourceId, errors: cluster.count }, 'an incident was created from errors')
      }
    }
  }

  let seen: string | undefined
  const round = async () => {
    const arrived = await arrivals()
    if (arrived === seen) return
    await using lease = await leases.take(evaluationLease, signal)
    // Another replica is evaluating, and may have searched before this entry arrived: the next round tries again.
    if (!lease) return
    const at = now()
    await evaluate((await findEvaluated(db)) ?? at, at, lease.signal)
    await saveEvaluated(db, at)
    seen = arrived
  }
  const rounds = startRounds({
    milliseconds: roundMilliseconds,
    signal,
    round,
    onFailure: (error) => log.warn({ err: error }, 'the evaluation of errors for incidents failed'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await rounds.ended
    },
  }
}
