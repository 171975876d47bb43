import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { describeEntry } from '../formats/describe-entry.ts'
import type { Score } from '../overlays/entry-overlay.ts'
import type { StoredEntry } from './entry.ts'
import { isoOf } from './iso-time.ts'

const scoredAt = (score: Score | null | undefined): string | null => (score ? isoOf(score.scoredAt) : null)

/** An entry in the API's form: message, fields and raw timestamp are parsed from its text again. `tail/entry-text.ts` writes the same as text. */
export const presentEntry = (entry: StoredEntry): Entry => {
  const described = describeEntry(entry.origin.format, entry.text)
  const { anomaly, security } = entry.overlay ?? {}
  const fields = entry.sender?.fields ?? described.fields
  return {
    entryId: entry.entryId,
    sourceId: entry.origin.sourceId,
    branch: entry.origin.branch,
    sequence: entry.sequence,
    timestampIso: entry.time === null ? null : isoOf(entry.time),
    timestampRaw: entry.sender?.timestampRaw ?? described.timestampRaw,
    ingestTime: isoOf(entry.ingestTime),
    severity: entry.severity,
    repeatCount: entry.repeatCount,
    format: entry.origin.format,
    text: entry.text,
    message: described.message,
    fields: fields === null ? null : JSON.stringify(fields),
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
}
