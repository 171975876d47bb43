import type { StoredEntry } from '../entries/entry.ts'
import { bucketsOf, planReading, type ReadingLimits, readRequestsFor } from './plan-reading.ts'
import type { Anomaly, TemplateSeries } from './template-series.ts'
import type { ThrottledSearch } from './throttled-search.ts'

export type ReadOptions = { search: ThrottledSearch; limits: ReadingLimits }

const timesOf = ({ start, bucketMilliseconds }: TemplateSeries, { from, to }: { from: number; to: number }) => ({
  since: start + from * bucketMilliseconds,
  until: start + to * bucketMilliseconds,
})

/**
 * Reads the entries of each anomaly, oldest first; anomalies are sorted by score descending. Anomalies without a template (error clusters) get the
 * entries with level CRITICAL or ERROR.
 */
export const readAnomalies = async (
  series: TemplateSeries,
  anomalies: readonly Anomaly[],
  { search, limits }: ReadOptions,
): Promise<StoredEntry[][]> => {
  const known = new Map<string, Map<string, StoredEntry>>()
  for (const { templateIds, limit, ...buckets } of planReading(series, readRequestsFor(series, anomalies, limits))) {
    for (const entry of await search({ ...timesOf(series, buckets), anyTemplate: templateIds }, limit)) {
      if (entry.templateId === null) continue
      const ofKind = known.get(entry.templateId) ?? new Map<string, StoredEntry>()
      ofKind.set(entry.entryId, entry)
      known.set(entry.templateId, ofKind)
    }
  }
  const ofKind = ({ templateId }: Anomaly, since: number, until: number): StoredEntry[] =>
    [...(known.get(templateId ?? '')?.values() ?? [])]
      .filter(({ effectiveTime }) => effectiveTime >= since && effectiveTime < until)
      .toSorted((one, other) => one.effectiveTime - other.effectiveTime)
      .slice(0, limits.each)
  const found: StoredEntry[][] = []
  for (const anomaly of anomalies) {
    const { since, until } = timesOf(series, bucketsOf(anomaly))
    found.push(
      anomaly.templateId === null
        ? await search({ since, until, severities: ['CRITICAL', 'ERROR'] }, limits.each)
        : ofKind(anomaly, since, until),
    )
  }
  return found
}
