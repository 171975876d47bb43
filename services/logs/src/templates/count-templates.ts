import { type Filters, keepTemplates, mayPass, passingDocuments } from '../search/filters.ts'
import { documentsOf } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import type { Templates } from './templates.ts'

/** Which entries count, and in which stretches of time. Times are epoch milliseconds. */
export type TemplateQuestion = {
  /** `since` and `until` bound what is counted; when a template was first and last seen is told whatever they are. */
  filters: Filters
  /** Buckets from `start` on, each so long; without them only whole counts are told. */
  buckets?: { start: number; milliseconds: number; count: number }
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
  /** Entries that pass in each bucket. */
  buckets: number[]
}

/**
 * Counts entries by their templates, in the columns of all parts: what is deleted, expired or regraded is counted so at once. Throws
 * SegmentCorrupt for a part that cannot be read, and what the signal throws.
 */
export const countTemplates = async (
  parts: readonly Part[],
  question: TemplateQuestion,
  templates: Pick<Templates, 'resolve' | 'members' | 'formOf'>,
  signal?: { throwIfAborted: () => void } | undefined,
): Promise<TemplateCounts[]> => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, ...asked } = question.filters
  const { anyTemplate } = asked
  const timeless = anyTemplate ? { ...asked, anyTemplate: anyTemplate.flatMap(templates.members) } : asked
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
      buckets: new Array<number>(bucketCount).fill(0),
    }
    found.set(templateId, counts)
    return counts
  }
  for (const part of parts) {
    signal?.throwIfAborted()
    if (!mayPass(timeless, part)) continue
    const [columns, templateOf] = await Promise.all([part.columns(), part.templateOf()])
    const { times, severities } = columns
    const counts = part.templates.map((id) => (id === '' ? undefined : countsOf(templates.resolve(id))))
    const passing = passingDocuments(timeless, part, columns)
    await keepTemplates(timeless, part, passing)
    const documents = documentsOf(passing)
    for (let index = 0; index < documents.length; index++) {
      const document = documents[index] ?? 0
      const template = counts[templateOf[document] ?? 0]
      if (!template) continue
      const time = times[document] ?? 0
      if (time < template.firstSeen) template.firstSeen = time
      if (time > template.lastSeen) template.lastSeen = time
      if (time < since || time >= until) continue
      template.count++
      const mask = 1 << (document & 31)
      const severity = severities.findIndex((bitmap) => ((bitmap[document >>> 5] ?? 0) & mask) !== 0) + 1
      template.bySeverity[severity] = (template.bySeverity[severity] ?? 0) + 1
      const bucket = Math.floor((time - start) / milliseconds)
      if (bucket >= 0 && bucket < bucketCount) template.buckets[bucket] = (template.buckets[bucket] ?? 0) + 1
    }
  }
  return [...found.values()].filter(({ lastSeen }) => lastSeen !== Number.NEGATIVE_INFINITY)
}
