import { randomUUID } from 'node:crypto'
import { transact } from '@trellis/kit/store'
import { counted } from '../../counted.ts'
import { lengthOfTime } from '../../length-of-time.ts'
import type { IncidentDb } from '../all-tables.ts'
import { addEvent, insertIncident, updateIncident } from '../store.ts'
import type { IncidentTable } from '../tables.ts'
import type { Cluster, ClusterRule } from './find-clusters.ts'
import { issueTypeOf, unresolvedOf } from './store.ts'

/** An incident without errors for this time is over, even if it is unresolved: a later failure is a new incident. */
const quietMilliseconds = 24 * 3_600_000
const maxUnresolved = 20

/** An incident whose end a user has set is not extended past it. */
const reachOf = ({ ended_at, is_end_set }: IncidentTable): number =>
  ended_at === null ? Number.POSITIVE_INFINITY : ended_at + (is_end_set === 1 ? 0 : quietMilliseconds)

const isNear = (incident: IncidentTable, cluster: Cluster): boolean =>
  cluster.first <= reachOf(incident) && cluster.last >= incident.started_at - quietMilliseconds

const worst = (before: string | null, { isCritical }: Cluster): string | null =>
  isCritical ? 'CRITICAL' : (before ?? 'ERROR')

const extension = (incident: IncidentTable, cluster: Cluster): Partial<IncidentTable> => {
  const { started_at, ended_at, is_start_set, is_end_set, error_count, severity } = incident
  const next = {
    started_at: is_start_set === 1 ? started_at : Math.min(started_at, cluster.first),
    ended_at: is_end_set === 1 || ended_at === null ? ended_at : Math.max(ended_at, cluster.last),
    error_count: Math.max(error_count, cluster.count),
    severity: worst(severity, cluster),
  }
  const isSame = Object.entries(next).every(([name, value]) => incident[name as keyof typeof next] === value)
  return isSame ? {} : next
}

export type RecordOptions = { db: IncidentDb; sourceId: string; cluster: Cluster; rule: ClusterRule; now: number }

/** Creates an incident from a cluster, or extends the incident that it belongs to; returns whether it was created. Idempotent. */
export const recordCluster = ({ db, sourceId, cluster, rule, now }: RecordOptions): Promise<boolean> =>
  transact(db, async (transaction) => {
    const known = (await unresolvedOf(transaction, sourceId, maxUnresolved)).find((one) => isNear(one, cluster))
    if (known) {
      const change = extension(known, cluster)
      if (Object.keys(change).length === 0) return false
      await updateIncident(transaction, known.id, { ...change, updated_at: now })
      const isNewBurst = known.ended_at !== null && cluster.first - known.ended_at > rule.windowMilliseconds
      if (isNewBurst)
        await addEvent(transaction, {
          incident_id: known.id,
          kind: 'extended',
          detail: `${counted(cluster.count, 'more error')} since ${new Date(cluster.first).toISOString()}.`,
          at: now,
        })
      return false
    }
    const id = randomUUID()
    await insertIncident(transaction, {
      id,
      label: `Errors in ${sourceId}`.slice(0, 500),
      status: 'open',
      started_at: cluster.first,
      ended_at: cluster.last,
      notes: '',
      severity: worst(null, cluster),
      issue_type: issueTypeOf(sourceId),
      query: null,
      source_id: sourceId,
      is_automatic: 1,
      is_start_set: 0,
      is_end_set: 0,
      error_count: cluster.count,
      created_at: now,
      updated_at: now,
      acknowledged_at: null,
      resolved_at: null,
    })
    const detail = `Created from ${counted(cluster.count, 'error')}, at least ${rule.threshold} within ${lengthOfTime(rule.windowMilliseconds)}.`
    await addEvent(transaction, { incident_id: id, kind: 'created', detail, at: now })
    return true
  })
