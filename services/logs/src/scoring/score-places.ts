import { findChangedNodes } from './find-changed-nodes.ts'
import { findOutOfPlace } from './find-out-of-place.ts'
import type { WholeFinding } from './finding.ts'
import { readStretches } from './read-stretches.ts'
import { lookBackMilliseconds, type SourceRange } from './source-range.ts'
import type { PlaceAnomaly } from './stretch.ts'
import type { TemplateSeries } from './template-series.ts'
import type { ThrottledSearch } from './throttled-search.ts'

/** Reading a growing source takes at most one part in this many of the time: a busy source is examined less often, and then over a longer range. */
const restFactor = 50
/** Maximum number of sources whose last examination is cached. */
const maxRemembered = 10_000
/** Maximum number of findings of one range, those with the highest scores. */
const maxFindings = 100

type Examined = { until: number; notBefore: number }

const findingOf = ({ label, subject, score, severity, reason, entries, count }: PlaceAnomaly): WholeFinding[] => {
  const [entry, ...also] = entries
  return entry ? [{ scorer: 'anomaly', label, score, severity, subject, reason, entry, also, count }] : []
}

export type PlaceScoring = (
  range: SourceRange,
  series: TemplateSeries,
  search: ThrottledSearch,
) => Promise<WholeFinding[]>

/**
 * Finds templates that are out of place, and nodes whose behaviour changed. Both require the texts of entries, of which a sample is read. A growing
 * source is examined at intervals, each time with everything since the last examination. That time is in memory only: after a restart, or on
 * another replica, an examination begins with the newest entries.
 */
export const createPlaceScoring = (now: () => number = () => performance.now()): PlaceScoring => {
  const examined = new Map<string, Examined>()
  return async ({ sourceId, since, until }, series, search) => {
    const last = examined.get(sourceId)
    const isNext = last !== undefined && !series.judgedWhole && since >= last.until - lookBackMilliseconds
    const began = now()
    if (isNext && began < last.notBefore) return []
    const judgedSince = series.judgedWhole
      ? series.start + series.judgedFrom * series.bucketMilliseconds
      : Math.min(since, isNext ? last.until : since)
    const stretches = await readStretches(series, search)
    if (examined.size >= maxRemembered) examined.clear()
    examined.set(sourceId, { until, notBefore: now() + (now() - began) * restFactor })
    const judgedFrom = stretches.findIndex(({ entries }) => (entries.at(-1)?.effectiveTime ?? 0) >= judgedSince)
    if (judgedFrom < 0) return []
    return [...findOutOfPlace(stretches, series.templates, judgedSince), ...findChangedNodes(stretches, judgedFrom)]
      .toSorted((one, other) => other.score - one.score)
      .slice(0, maxFindings)
      .flatMap(findingOf)
  }
}
