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
  /** Something that differs when entries have come in since; asked in every round. */
  arrivals: () => Promise<string>
  roundMilliseconds?: number
}

/** An error that comes in later than this after it happened is history, and makes no incident: an old file that is uploaded raises none. */
const latenessMilliseconds = 3_600_000
/** Time in which nobody looked is looked at afterwards, up to this. */
const maxCaughtUp = 24 * 3_600_000
const evaluationLease = 'automatic incidents'
const maxRead = 1_000
/** Past the errors that one search gives, sources are looked at one by one: those with the most errors. */
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
 * Makes incidents of clusters of errors, by the times that entries themselves have, those of branches too. It looks at all errors of the
 * last hour whenever something has come in, so nothing depends on what a process remembers: a restart repeats nothing and misses nothing.
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
  /** Recent errors by source: all of them, or where there are very many the newest of each source. */
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
  const passedOver = new Set<string>()
  const passOver = (sourceId: string) => {
    if (passedOver.has(sourceId)) return
    if (passedOver.size >= maxSources) passedOver.clear()
    passedOver.add(sourceId)
    log.warn({ sourceId }, 'no incidents are made of a source whose id no database keeps; delete it')
  }
  const evaluate = async (evaluatedUntil: number, at: number, held: AbortSignal): Promise<void> => {
    const late = Math.max(latenessMilliseconds, rule.windowMilliseconds)
    const since = Math.max(Math.min(evaluatedUntil, at) - late, at - Math.max(maxCaughtUp, late))
    // Clocks differ; what says that it comes from later than this is looked at when it is time.
    const sources = await recentErrors({ since, until: at + rule.windowMilliseconds })
    for (const [sourceId, moments] of sources) {
      if (!isStorable(sourceId)) {
        passOver(sourceId)
        continue
      }
      const settled = await settledUntil(db, sourceId)
      const unsettled = moments.filter(({ time }) => time > settled)
      for (const cluster of findClusters(unsettled, rule)) {
        held.throwIfAborted()
        const isNew = await recordCluster({ db, sourceId, cluster, rule, now: now() })
        if (isNew) log.info({ sourceId, errors: cluster.count }, 'an incident was made of errors')
      }
    }
  }

  let seen: string | undefined
  const round = async () => {
    const arrived = await arrivals()
    if (arrived === seen) return
    await using lease = await leases.take(evaluationLease, signal)
    // Another is at it, and may have looked before this came: the next round tries again.
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
    onFailure: (error) => log.warn({ err: error }, 'errors could not be looked through for incidents now'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await rounds.ended
    },
  }
}
