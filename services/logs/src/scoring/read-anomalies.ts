import type { StoredEntry } from '../entries/entry.ts'
import { bucketsOf, planReading, type ReadingLimits, wantsOf } from './plan-reading.ts'
import type { RestingSearch } from './resting-search.ts'
import type { Anomaly, TemplateSeries } from './template-series.ts'

export type ReadOptions = { search: RestingSearch; limits: ReadingLimits }

const timesOf = ({ start, bucketMilliseconds }: TemplateSeries, { from, to }: { from: number; to: number }) => ({
  since: start + from * bucketMilliseconds,
  until: start + to * bucketMilliseconds,
})

/** Entries of each of the anomalies, which are given surest first, oldest first: of errors of several kinds those of the level. */
export const readAnomalies = async (
  series: TemplateSeries,
  anomalies: readonly Anomaly[],
  { search, limits }: ReadOptions,
): Promise<StoredEntry[][]> => {
  const known = new Map<string, Map<string, StoredEntry>>()
  for (const { templateIds, limit, ...buckets } of planReading(series, wantsOf(series, anomalies, limits))) {
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
