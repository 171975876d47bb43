import type { Filters } from '../search/filters.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Window } from './steps.ts'

/** A shorter window is compared with this time before it. */
const minMilliseconds = 3_600_000
/** What occurred fewer times before is too rare to be usual. */
const minBefore = 5
/** The number of times that is still usual: a multiple of that before, and some more, because small numbers vary. */
const usualFactor = 1.5
const usualMargin = 3

/**
 * The templates that are as frequent in the window as in the time before it. They are failures that occur anyway, such as refused sign-ins of
 * strangers. Empty for a window without a start.
 */
export const usualTemplates = async (
  engine: Pick<LogEngine, 'templates'>,
  known: readonly TemplateCounts[],
  {
    filters,
    window,
    now,
    signal,
  }: { filters: Filters; window: Pick<Window, 'start' | 'end'>; now: number; signal: AbortSignal },
): Promise<ReadonlySet<string>> => {
  const { start, end } = window
  if (start === null || known.length === 0) return new Set()
  const milliseconds = Math.max((end ?? now) - start, minMilliseconds)
  const anyTemplate = known.map(({ templateId }) => templateId)
  const earlier = { ...filters, since: start - milliseconds, until: start - 1, anyTemplate }
  const before = new Map(
    (await engine.templates({ filters: earlier }, signal)).map(({ templateId, count }) => [templateId, count]),
  )
  const isUsual = ({ templateId, count }: TemplateCounts): boolean => {
    const countBefore = before.get(templateId) ?? 0
    return countBefore >= minBefore && count <= countBefore * usualFactor + usualMargin
  }
  return new Set(known.filter(isUsual).map(({ templateId }) => templateId))
}

/** A template with fewer occurrences in a time is not steady. */
const minSteady = 24
/** The number of equal parts of a time whose counts are compared, and the smallest count of a part as a share of their average. */
const steadyParts = 6
const minShareOfAverage = 1 / 3

/** Whether counts are even enough over the parts of a time to be the noise of that time, without an onset or a surge. */
const isSteady = ({ count, buckets }: TemplateCounts): boolean => {
  const average = count / steadyParts
  return (
    count >= minSteady &&
    buckets.length === steadyParts &&
    buckets.every((part) => part >= average * minShareOfAverage && part <= average * usualFactor + usualMargin)
  )
}

const severities: Filters['severities'] = ['CRITICAL', 'ERROR', 'WARN']

/**
 * The templates of failures and warnings that occur anyway: those as frequent in the window as before it. If no entry of the `sources` is older than
 * the window, as in an uploaded file, those that occur evenly from its first entry to its last. `sources` are those with entries about the question.
 */
export const usualFailures = async (
  engine: Pick<LogEngine, 'templates'>,
  sources: readonly SourceCount[],
  { filters: all, now, signal }: { filters: Filters; now: number; signal: AbortSignal },
): Promise<ReadonlySet<string>> => {
  const { since = null, until = null } = all
  const filters: Filters = { ...all, severities }
  const first = Math.min(...sources.map(({ firstTime }) => firstTime))
  const last = Math.min(until ?? now, Math.max(...sources.map(({ lastTime }) => lastTime)))
  if (since !== null && first < since) {
    const known = await engine.templates({ filters }, signal)
    return usualTemplates(engine, known, { filters, window: { start: since, end: until }, now, signal })
  }
  if (!(last > first)) return new Set()
  const buckets = { start: first, milliseconds: (last - first + 1) / steadyParts, count: steadyParts }
  const known = await engine.templates({ filters, buckets }, signal)
  return new Set(known.filter(isSteady).map(({ templateId }) => templateId))
}
