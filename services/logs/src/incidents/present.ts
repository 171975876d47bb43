import type {
  Incident,
  IncidentDetail,
  IncidentEvent,
  SimilarIncident,
} from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { IncidentRow } from './store.ts'
import type { IncidentEventTable, IncidentTable } from './tables.ts'

export const iso = (time: number): string => new Date(time).toISOString()
export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time))

export const presentIncident = (row: IncidentRow): Incident => ({
  id: row.id,
  label: row.label,
  status: row.status,
  startedAt: iso(row.started_at),
  endedAt: isoOrNull(row.ended_at),
  notes: row.notes,
  severity: row.severity,
  issueType: row.issue_type === '' ? null : row.issue_type,
  query: row.query,
  sourceId: row.source_id,
  automatic: row.is_automatic === 1,
  errorCount: row.error_count,
  attachedCount: row.attached_count,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  acknowledgedAt: isoOrNull(row.acknowledged_at),
  resolvedAt: isoOrNull(row.resolved_at),
})

const presentEvent = ({ kind, detail, at }: Omit<IncidentEventTable, 'number'>): IncidentEvent => ({
  kind,
  detail,
  at: iso(at),
})

const presentSimilar = (row: IncidentTable): SimilarIncident => ({
  id: row.id,
  label: row.label,
  status: row.status,
  issueType: row.issue_type === '' ? null : row.issue_type,
  startedAt: iso(row.started_at),
  endedAt: isoOrNull(row.ended_at),
  notes: row.notes,
})

export type DetailParts = {
  entries: Entry[]
  attachedEntryIds: string[]
  entryCount: number
  events: readonly Omit<IncidentEventTable, 'number'>[]
  similar: readonly IncidentTable[]
}

export const presentDetail = (row: IncidentRow, parts: DetailParts): IncidentDetail => ({
  ...presentIncident(row),
  entries: parts.entries,
  attachedEntryIds: parts.attachedEntryIds,
  entryCount: parts.entryCount,
  timeline: parts.events.map(presentEvent),
  similar: parts.similar.map(presentSimilar),
})
