import type { Priority } from '../priority-scheduler.ts'
import type { AbortCheck } from '../search/abort-check.ts'
import { acceptsOrigin, acceptsTags, createPartFilter, type Filters } from '../search/filters.ts'
import { documentsOf } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { createTimeSlices } from '../time-slices.ts'
import { countPart, eachTemplate, type PartCounts } from './part-counts.ts'
import type { Templates } from './templates.ts'

/** The entries to count, and the time buckets. Times are epoch milliseconds. */
export type TemplateRequest = {
  /** `since` and `until` restrict the counts, but not `firstSeen` and `lastSeen`. */
  filters: Filters
  /** Buckets of `milliseconds` each from `start` on; without them only totals are counted. */
  buckets?: { start: number; milliseconds: number; count: number }
  /** By default, that of a request that a user waits for. */
  priority?: Priority
}

/** A template with its counts. */
export type TemplateCounts = {
  templateId: string
  template: string
  /** The number of entries that pass the filters. */
  count: number
  /** By severity code: none, CRITICAL, ERROR, WARN. */
  bySeverity: [number, number, number, number]
  /** Effective times of the first and the last entry that pass the filters other than `since` and `until`. */
  firstSeen: number
  lastSeen: number
  /** Effective times of the first and the last counted entry; infinite if there is none. */
  firstCounted: number
  lastCounted: number
  /** The number of counted entries per bucket. */
  buckets: number[]
}

/** Whether all entries of a part pass the filters other than those for time and template. */
const isUnfiltered = ({ severities, ...filters }: Filters, part: Part): boolean =>
  severities === undefined &&
  part.streams.every(({ entries, origin }) => entries === 0 || acceptsOrigin(filters, origin)) &&
  part.patternSets.every((tags) => acceptsTags(filters, tags))

/**
 * Counts entries by template from the columns of all parts, so that deleted, expired and regraded entries take effect immediately. Throws
 * SegmentCorrupt for a part that cannot be read. The signal is checked between parts.
 */
export const countTemplates = async (
  parts: readonly Part[],
  question: TemplateRequest,
  templates: Pick<Templates, 'resolve' | 'members' | 'formOf'>,
  { signal, rest }: { signal?: AbortCheck | undefined; rest?: () => Promise<void> } = {},
): Promise<TemplateCounts[]> => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, ...otherFilters } = question.filters
  const anyTemplate = otherFilters.anyTemplate?.flatMap(templates.members)
  const timeless: Filters = { ...otherFilters, ...(anyTemplate && { anyTemplate }) }
  const requested = anyTemplate && new Set(anyTemplate)
  const filter = createPartFilter(timeless)
  const { start = 0, milliseconds = 1, count: bucketCount = 0 } = question.buckets ?? {}
  const found = new Map<string, TemplateCounts>()
  const countsOf = (templateId: string): TemplateCounts => {
    const known = found.get(templateId)
    if (known) return known
    const counts: TemplateCounts = {
      templateId,
      template: templates.formOf(templateId) ?? '',
      count: 0,
      bySeverity: [0, 0, 0, 0],
      firstSeen: Number.POSITIVE_INFINITY,
      lastSeen: Number.NEGATIVE_INFINITY,
      firstCounted: Number.POSITIVE_INFINITY,
      lastCounted: Number.NEGATIVE_INFINITY,
      buckets: new Array<number>(bucketCount).fill(0),
    }
    found.set(templateId, counts)
    return counts
  }
  const bucketOf = (time: number): number => Math.floor((time - start) / milliseconds)
  const addToBucket = (template: TemplateCounts, bucket: number, more: number) => {
    if (bucket >= 0 && bucket < bucketCount) template.buckets[bucket] = (template.buckets[bucket] ?? 0) + more
  }
  const widen = (template: TemplateCounts, first: number, last: number) => {
    if (first < template.firstSeen) template.firstSeen = first
    if (last > template.lastSeen) template.lastSeen = last
  }
  const addCounted = (template: TemplateCounts, more: number, [first, last]: readonly [number, number]) => {
    template.count += more
    if (first < template.firstCounted) template.firstCounted = first
    if (last > template.lastCounted) template.lastCounted = last
  }
  /** Adds a whole part, whose entries need not be distinguished; its counts may be cached. */
  const addWhole = (part: Part, counted: PartCounts, countsOfNumber: readonly (TemplateCounts | undefined)[]) => {
    const isCounted = part.firstTime >= since && part.lastTime < until
    const bucket = bucketOf(part.firstTime)
    countsOfNumber.forEach((template, number) => {
      const count = counted.counts[number] ?? 0
      if (!template || count === 0) return
      const extent = [counted.firstTimes[number] ?? 0, counted.lastTimes[number] ?? 0] as const
      widen(template, ...extent)
      if (!isCounted) return
      addCounted(template, count, extent)
      for (let severity = 0; severity < template.bySeverity.length; severity++)
        template.bySeverity[severity] =
          (template.bySeverity[severity] ?? 0) + (counted.bySeverity[number * 4 + severity] ?? 0)
      addToBucket(template, bucket, count)
    })
  }
  const isWhole = (part: Part): boolean =>
    isUnfiltered(timeless, part) &&
    (part.lastTime < since || part.firstTime >= until || (part.firstTime >= since && part.lastTime < until)) &&
    (bucketCount === 0 || bucketOf(part.firstTime) === bucketOf(part.lastTime))

  const slices = createTimeSlices('templates', rest)
  for (const part of parts) {
    signal?.throwIfAborted()
    if (!filter.mayPass(part)) continue
    if (slices.isOver()) await slices.pause()
    const countsOfNumber = part.templates.map((id) =>
      id === '' || requested?.has(id) === false ? undefined : countsOf(templates.resolve(id)),
    )
    if (isWhole(part)) {
      addWhole(part, await countPart(part), countsOfNumber)
      continue
    }
    await eachTemplate(part, documentsOf(await filter.passing(part)), (number, severity, time) => {
      const template = countsOfNumber[number]
      if (!template) return
      widen(template, time, time)
      if (time < since || time >= until) return
      addCounted(template, 1, [time, time])
      template.bySeverity[severity] = (template.bySeverity[severity] ?? 0) + 1
      addToBucket(template, bucketOf(time), 1)
    })
  }
  return [...found.values()].filter(({ lastSeen }) => lastSeen !== Number.NEGATIVE_INFINITY)
}

/** The original ids of the templates that at least one remaining entry has. */
export const templatesInUse = async (parts: readonly Part[]): Promise<ReadonlySet<string>> => {
  const unresolved = { resolve: (id: string) => id, members: (id: string) => [id], formOf: () => undefined }
  return new Set((await countTemplates(parts, { filters: {} }, unresolved)).map(({ templateId }) => templateId))
}
