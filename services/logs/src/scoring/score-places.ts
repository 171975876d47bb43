import { findChangedNodes } from './find-changed-nodes.ts'
import { findOutOfPlace } from './find-out-of-place.ts'
import type { WholeFinding } from './finding.ts'
import { readStretches } from './read-stretches.ts'
import type { RestingSearch } from './resting-search.ts'
import { lookBackMilliseconds, type SourceRange } from './source-range.ts'
import type { PlaceAnomaly } from './stretch.ts'
import type { TemplateSeries } from './template-series.ts'

/** Of the time at most one part in so many goes to reading a source that grows: a busy one is looked at less often, and then for as long. */
const restFactor = 50
/** Sources of which it is remembered when they were looked at. */
const maxRemembered = 10_000
/** Of one range, the surest. */
const maxFindings = 100

type Looked = { until: number; notBefore: number }

const findingOf = ({ label, subject, score, severity, reason, entries, count }: PlaceAnomaly): WholeFinding[] => {
  const [entry, ...also] = entries
  return entry ? [{ scorer: 'anomaly', label, score, severity, subject, reason, entry, also, count }] : []
}

export type PlaceScoring = (
  range: SourceRange,
  series: TemplateSeries,
  search: RestingSearch,
) => Promise<WholeFinding[]>

/**
 * Finds kinds of messages that are out of place, and machines that changed: what only the texts of entries tell, of which some are read. Of a
 * source that grows it waits between two looks and then takes what came since the last one; that moment is not kept anywhere, so that after a
 * restart, or on another replica, a look begins with what just came.
 */
export const createPlaceScoring = (now: () => number = () => performance.now()): PlaceScoring => {
  const looked = new Map<string, Looked>()
  return async ({ sourceId, since, until }, series, search) => {
    const last = looked.get(sourceId)
    const isNext = last !== undefined && !series.judgedWhole && since >= last.until - lookBackMilliseconds
    const began = now()
    if (isNext && began < last.notBefore) return []
    const judgedSince = series.judgedWhole
      ? series.start + series.judgedFrom * series.bucketMilliseconds
      : Math.min(since, isNext ? last.until : since)
    const stretches = await readStretches(series, search)
    if (looked.size >= maxRemembered) looked.clear()
    looked.set(sourceId, { until, notBefore: now() + (now() - began) * restFactor })
    const judgedFrom = stretches.findIndex(({ entries }) => (entries.at(-1)?.effectiveTime ?? 0) >= judgedSince)
    if (judgedFrom < 0) return []
    return [...findOutOfPlace(stretches, series.templates, judgedSince), ...findChangedNodes(stretches, judgedFrom)]
      .toSorted((one, other) => other.score - one.score)
      .slice(0, maxFindings)
      .flatMap(findingOf)
  }
}
