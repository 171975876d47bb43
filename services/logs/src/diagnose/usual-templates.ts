import type { Filters } from '../search/filters.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
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
  { filters, window, now, signal }: { filters: Filters; window: Window; now: number; signal: AbortSignal },
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
