import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { describeEntry } from '../formats/detect.ts'
import type { Score } from '../overlays/entry-overlay.ts'
import type { StoredEntry } from './entry.ts'

const scoredAt = (score: Score | null | undefined): string | null =>
  score ? new Date(score.scoredAt).toISOString() : null

/** An entry as the API shows it, and apart from it the fields that it shows as JSON: where they are written at once, they are no text before. */
export const presentApart = (entry: StoredEntry): { shown: Entry; fields: Record<string, unknown> | null } => {
  const described = describeEntry(entry.origin.format, entry.text)
  const { anomaly, security } = entry.overlay ?? {}
  const fields = entry.sender?.fields ?? described.fields
  const shown: Entry = {
    entryId: entry.entryId,
    sourceId: entry.origin.sourceId,
    branch: entry.origin.branch,
    sequence: entry.sequence,
    timestampIso: entry.time === null ? null : new Date(entry.time).toISOString(),
    timestampRaw: entry.sender?.timestampRaw ?? described.timestampRaw,
    ingestTime: new Date(entry.ingestTime).toISOString(),
    severity: entry.severity,
    repeatCount: entry.repeatCount,
    format: entry.origin.format,
    text: entry.text,
    message: described.message,
    fields: null,
    truncated: entry.truncated,
    matchedPatterns: entry.matchedPatterns,
    templateId: entry.templateId,
    outOfOrder: entry.outOfOrder,
    anomalyScore: anomaly?.score ?? null,
    anomalyLabel: anomaly?.label ?? null,
    anomalyScoredAt: scoredAt(anomaly),
    mlScore: security?.score ?? null,
    mlLabel: security?.label ?? null,
    mlScoredAt: scoredAt(security),
    tenantId: entry.origin.tenantId ?? '',
    anonymized: entry.origin.anonymized === true,
  }
  return { shown, fields }
}

/** An entry as the API shows it: message, fields and written time are read out of its text again. */
export const presentEntry = (entry: StoredEntry): Entry => {
  const { shown, fields } = presentApart(entry)
  return fields === null ? shown : { ...shown, fields: JSON.stringify(fields) }
}
