import type { Priority } from '../priority-scheduler.ts'
import { acceptsOrigin, acceptsTags, createPartFilter, type Filters } from '../search/filters.ts'
import type { Leaving } from '../search/leaving.ts'
import { documentsOf } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { createSlices } from '../slices.ts'
import { countPart, eachTemplate, type PartCounts } from './part-counts.ts'
import type { Templates } from './templates.ts'

/** Which entries count, and in which stretches of time. Times are epoch milliseconds. */
export type TemplateQuestion = {
  /** `since` and `until` bound what is counted; when a template was first and last seen is told whatever they are. */
  filters: Filters
  /** Buckets from `start` on, each so long; without them only whole counts are told. */
  buckets?: { start: number; milliseconds: number; count: number }
  /** Somebody waits for it unless told otherwise. */
  priority?: Priority
}

/** A template as entries show it. */
export type TemplateCounts = {
  templateId: string
  template: string
  /** Entries that pass. */
  count: number
  /** By severity code: none, CRITICAL, ERROR, WARN. */
  bySeverity: [number, number, number, number]
  /** Effective times of the first and the last entry that passes but for `since` and `until`. */
  firstSeen: number
  lastSeen: number
  /** Those of the first and the last that counts: infinite where none does. */
  firstCounted: number
  lastCounted: number
  /** Entries that pass in each bucket. */
  buckets: number[]
}

/** Whether filters other than those of time and template let all of a part through. */
const isUnfiltered = ({ severities, ...filters }: Filters, part: Part): boolean =>
  severities === undefined &&
  part.streams.every(({ entries, origin }) => entries === 0 || acceptsOrigin(filters, origin)) &&
  part.patternSets.every((tags) => acceptsTags(filters, tags))

/**
 * Counts entries by their templates, in the columns of all parts: what is deleted, expired or regraded is counted so at once. Throws
 * SegmentCorrupt for a part that cannot be read, and what the signal throws.
 */
export const countTemplates = async (
  parts: readonly Part[],
  question: TemplateQuestion,
  templates: Pick<Templates, 'resolve' | 'members' | 'formOf'>,
  { signal, rest }: { signal?: Leaving | undefined; rest?: () => Promise<void> } = {},
): Promise<TemplateCounts[]> => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, ...asked } = question.filters
  const anyTemplate = asked.anyTemplate?.flatMap(templates.members)
  const timeless: Filters = { ...asked, ...(anyTemplate && { anyTemplate }) }
  const wanted = anyTemplate && new Set(anyTemplate)
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
  /** All of a part at once, where nothing of it is told apart: as counted before, if it was. */
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

  const slices = createSlices('templates', rest)
  for (const part of parts) {
    signal?.throwIfAborted()
    if (!filter.mayPass(part)) continue
    if (slices.isOver()) await slices.pause()
    const countsOfNumber = part.templates.map((id) =>
      id === '' || wanted?.has(id) === false ? undefined : countsOf(templates.resolve(id)),
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

/** The ids, as they were given, of the templates that at least one entry has which is still there. */
export const templatesInUse = async (parts: readonly Part[]): Promise<ReadonlySet<string>> => {
  const asGiven = { resolve: (id: string) => id, members: (id: string) => [id], formOf: () => undefined }
  return new Set((await countTemplates(parts, { filters: {} }, asGiven)).map(({ templateId }) => templateId))
}
