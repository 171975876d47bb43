import type { LogEngine } from '../threads/log-engine.ts'
import { findAnomalies } from './find-anomalies.ts'
import { minScore, type WholeFinding } from './finding.ts'
import type { ReadingLimits } from './plan-reading.ts'
import { readAnomalies } from './read-anomalies.ts'
import { createPlaceScoring } from './score-places.ts'
import type { ScoreWhole } from './scorer.ts'
import type { SourceRange } from './source-range.ts'
import { bucketLengthFor, type TemplateSeries } from './template-series.ts'
import { createThrottledSearch } from './throttled-search.ts'

/** New entries are compared with the entries of this long before them. */
const historyMilliseconds = 24 * 3_600_000
/** If a source is scored as a whole, this share at its beginning is the reference for the rest. */
const learningShare = 0.3
/** Maximum numbers of entries that carry scores: few of recent entries; more of a whole source, which is scored only once. */
const readingLimits = {
  lately: { each: 100, together: 2_000, min: 10 },
  whole: { each: 1_000, together: 10_000, min: 10 },
} as const satisfies Record<string, ReadingLimits>
/** Maximum number of anomalies of one range, those with the highest scores. */
const maxAnomalies = 200

/** Divides a range into buckets, and determines the first bucket to judge. */
const cut = ({ since, until, firstTime }: SourceRange) => {
  const isWhole = since <= firstTime
  const start = isWhole ? firstTime : Math.max(firstTime, since - historyMilliseconds)
  const milliseconds = bucketLengthFor(until - start)
  const count = Math.max(1, Math.ceil((until - start) / milliseconds))
  const judgedFrom = isWhole
    ? Math.ceil(count * learningShare)
    : Math.max(1, Math.floor((since - start) / milliseconds))
  return { start, milliseconds, count, judgedFrom, isWhole }
}

/** Finds anomalies among the templates of a source by their counts over time. */
export const createAnomalyScoring = (
  engine: Pick<LogEngine, 'search' | 'templates'>,
  /** Anomalies with a lower score are discarded; benchmarks pass 0 for all. */
  min = minScore,
): ScoreWhole => {
  const seriesOf = async (range: SourceRange, signal: AbortSignal): Promise<TemplateSeries> => {
    const { start, milliseconds, count, judgedFrom, isWhole } = cut(range)
    const templates = await engine.templates(
      {
        filters: { source: range.sourceId, since: start, until: range.until },
        buckets: { start, milliseconds, count },
      },
      signal,
    )
    return {
      start,
      bucketMilliseconds: milliseconds,
      bucketCount: count,
      judgedFrom,
      judgedWhole: isWhole,
      firstTime: range.firstTime,
      lastTime: range.until - 1,
      templates,
    }
  }
  const scorePlaces = createPlaceScoring()
  return async (range, signal) => {
    const series = await seriesOf(range, signal)
    const anomalies = findAnomalies(series)
      .filter(({ score }) => score >= min)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxAnomalies)
    const findings: WholeFinding[] = []
    const limits = readingLimits[series.judgedWhole ? 'whole' : 'lately']
    const search = createThrottledSearch({ engine, sourceId: range.sourceId, signal })
    const entriesOf = await readAnomalies(series, anomalies, { search, limits })
    for (const [index, anomaly] of anomalies.entries()) {
      const [entry, ...also] = entriesOf[index] ?? []
      if (!entry) continue
      findings.push({
        scorer: 'anomaly',
        label: anomaly.label,
        score: anomaly.score,
        severity: anomaly.severity,
        subject: anomaly.template,
        reason: anomaly.reason,
        entry,
        also,
        count: anomaly.count,
      })
    }
    const inPlaces = (await scorePlaces(range, series, search)).filter(({ score }) => score >= min)
    findings.push(...inPlaces)
    return { findings, entries: series.templates.reduce((total, { count }) => total + count, 0) }
  }
}
