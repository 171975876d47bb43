import type { StoredEntry } from '../entries/entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { findAnomalies } from './find-anomalies.ts'
import { type Finding, leastScore } from './finding.ts'
import { readEntries } from './read-entries.ts'
import type { ScoreRange } from './scorer.ts'
import type { SourceRange } from './source-range.ts'
import { type Anomaly, bucketLengthFor, type TemplateSeries } from './template-series.ts'

/** What comes is compared with so long before it. */
const historyMilliseconds = 24 * 3_600_000
/** Of a source that is scored as a whole, the first part is what the rest is compared with. */
const learningShare = 0.3
/** Entries that carry the score of one finding: of what comes in a few, and of all that was there more, since nobody looks at that again. */
const mostScored = { lately: 100, whole: 1_000 }
/** Of one range, the surest. */
const mostAnomalies = 200

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
  least = leastScore,
): ScoreRange => {
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
  /** The entries of what stands out; for errors of several kinds those of the level. */
  const entriesOf = async (
    { sourceId }: SourceRange,
    series: TemplateSeries,
    anomaly: Anomaly,
    signal: AbortSignal,
  ) => {
    const since = series.start + anomaly.bucket * series.bucketMilliseconds
    const entries: StoredEntry[] = []
    const read = readEntries(engine, {
      query: null,
      filters: {
        source: sourceId,
        since,
        until: since + (anomaly.buckets ?? 1) * series.bucketMilliseconds,
        ...(anomaly.templateId === null
          ? { severities: ['CRITICAL', 'ERROR'] as const }
          : { anyTemplate: [anomaly.templateId] }),
      },
      limit: series.judgedWhole ? mostScored.whole : mostScored.lately,
      signal,
    })
    for await (const entry of read) entries.push(entry)
    return entries
  }
  return async (range, signal) => {
    const series = await seriesOf(range, signal)
    const anomalies = findAnomalies(series)
      .filter(({ score }) => score >= least)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, mostAnomalies)
    const findings: Finding[] = []
    for (const anomaly of anomalies) {
      const [entry, ...also] = await entriesOf(range, series, anomaly, signal)
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
    return { findings, entries: series.templates.reduce((total, { count }) => total + count, 0) }
  }
}
