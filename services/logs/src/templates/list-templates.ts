import { createPaging, type Position } from '@trellis/kit/paging'
import { severityOfCode } from '../entries/severity-code.ts'
import type { Filters } from '../search/filters.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { TemplateCounts } from './count-templates.ts'
import { directionOf, type Window, windowBetween } from './trend.ts'

const day = 86_400_000

export type CountedTemplates = { templates: TemplateCounts[]; window: Window }

/** Counts templates in a time window: that of the filters; otherwise the last day, or the last day with any entries. */
export const countInWindow = async (
  { engine, now }: { engine: Pick<LogEngine, 'templates'>; now: () => number },
  filters: Filters,
  signal?: AbortSignal,
): Promise<CountedTemplates> => {
  const count = async (since: number, until: number): Promise<CountedTemplates> => {
    const window = windowBetween(since, until)
    return { templates: await engine.templates({ filters, buckets: window }, signal), window }
  }
  const until = filters.until ?? now()
  const counted = await count(filters.since ?? until - day, until)
  const newest = counted.templates.reduce((last, { lastSeen }) => Math.max(last, lastSeen), Number.NEGATIVE_INFINITY)
  const isNamed = filters.since !== undefined || filters.until !== undefined
  return isNamed || counted.templates.length === 0 || newest >= until - day
    ? counted
    : count(newest + 1 - day, newest + 1)
}

/** The severity of most of its entries; of equal numbers, the more severe. */
export const severityOf = ({ bySeverity }: TemplateCounts) => {
  const [none, ...graded] = bySeverity
  const max = Math.max(...graded)
  return max === 0 || max < none ? null : severityOfCode(graded.indexOf(max) + 1)
}

export type Listing = {
  q: string
  direction: string
  order: 'last_seen' | 'count' | 'first_seen'
  limit: number
  cursor: string
}

/** The value that the list is sorted by, and the id of the template. */
const keyFields = { value: 'number', templateId: 'text' } as const
type Key = Position<typeof keyFields>

const keyOf = (order: Listing['order'], { templateId, count, firstSeen, lastSeen }: TemplateCounts): Key => ({
  value: { last_seen: lastSeen, count, first_seen: firstSeen }[order],
  templateId,
})

/** Negative when `left` comes first. */
const compareKeys = (left: Key, right: Key): number =>
  right.value - left.value || (left.templateId < right.templateId ? -1 : Number(left.templateId > right.templateId))

const paging = createPaging('templates', keyFields)

/** One page of templates. Throws `invalid` for an invalid cursor. */
export const pageOfTemplates = ({ templates, window }: CountedTemplates, listing: Listing) => {
  const { q, direction, order, limit, cursor } = listing
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const after = paging.read(cursor)
  const matching = templates
    .filter(({ count }) => count > 0)
    .filter(({ template }) => words.every((word) => template.toLowerCase().includes(word)))
    .map((counts) => ({ counts, key: keyOf(order, counts), direction: directionOf(counts, window) }))
    .filter((found) => direction === '' || found.direction === direction)
    .toSorted((left, right) => compareKeys(left.key, right.key))
  const rest = after ? matching.filter(({ key }) => compareKeys(after, key) < 0) : matching
  return { ...paging.toPage(rest, limit, ({ key }) => key), total: matching.length }
}
