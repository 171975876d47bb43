import type { BatchAnalysis } from '../segments/batch-analysis.ts'
import { type EntryBatch, timeIsBorrowed } from './entry-batch.ts'
import { sequenceOf } from './entry-order.ts'
import { type Severity, severityOfCode } from './severity-code.ts'

/** An entry that matches patterns, as it is pushed to another log service, which derives the same id from it. */
export type MatchedEntry = {
  /** 32 hex digits. */
  entryId: string
  sourceId: string
  sequence: number
  timestampIso: string | null
  severity: Severity | null
  patterns: readonly string[]
  text: string
}

/** The entries of a batch that match patterns. */
export const matchedEntries = (
  batch: EntryBatch,
  { patternSetOf, patternSets, severities }: BatchAnalysis,
): MatchedEntry[] => {
  const matched: MatchedEntry[] = []
  const keys = Buffer.from(batch.keys.buffer, batch.keys.byteOffset, batch.keys.byteLength)
  const text = Buffer.from(batch.text.buffer, batch.text.byteOffset, batch.text.byteLength)
  for (let entry = 0; entry < batch.count; entry++) {
    const patterns = patternSets[patternSetOf[entry] ?? 0] ?? []
    if (patterns.length === 0) continue
    const time = batch.times[entry] ?? Number.NaN
    const hasTime = !Number.isNaN(time) && ((batch.flags[entry] ?? 0) & timeIsBorrowed) === 0
    matched.push({
      entryId: keys.toString('hex', entry * 16, entry * 16 + 16),
      sourceId: batch.origins[batch.originOf[entry] ?? 0]?.sourceId ?? '',
      sequence: sequenceOf(batch.sequences[entry] ?? 0),
      timestampIso: hasTime ? new Date(time).toISOString() : null,
      severity: severityOfCode(severities[entry] ?? 0),
      patterns,
      text: text.toString('utf8', entry === 0 ? 0 : batch.textEnds[entry - 1], batch.textEnds[entry]),
    })
  }
  return matched
}
