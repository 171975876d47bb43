import type { LogEngine } from '../threads/log-engine.ts'
import { findAnomalies } from './find-anomalies.ts'
import { minScore, type WholeFinding } from './finding.ts'
import type { ReadingLimits } from './plan-reading.ts'
import { readAnomalies } from './read-anomalies.ts'
import { createRestingSearch } from './resting-search.ts'
import { createPlaceScoring } from './score-places.ts'
import type { ScoreWhole } from './scorer.ts'
import type { SourceRange } from './source-range.ts'
import { bucketLengthFor, type TemplateSeries } from './template-series.ts'

/** What comes is compared with so long before it. */
const historyMilliseconds = 24 * 3_600_000
/** Of a source that is scored as a whole, the first part is what the rest is compared with. */
const learningShare = 0.3
/** Entries that carry scores: of what comes in a few, and of all that was there more, since nobody looks at that again. */
const readingLimits = {
  lately: { each: 100, together: 2_000, min: 10 },
  whole: { each: 1_000, together: 10_000, min: 10 },
} as const satisfies Record<string, ReadingLimits>
/** Of one range, the surest. */
const maxAnomalies = 200

/** How a range is cut: its buckets, and from which on they are judged. */
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

/** Finds what stands out among the kinds of messages of a source, by how often each came. */
export const createAnomalyScoring = (
  engine: Pick<LogEngine, 'search' | 'templates'>,
  /** What is less sure is not looked for; measurements take all. */
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
    const search = createRestingSearch({ engine, sourceId: range.sourceId, signal })
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
