import type { Origin } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import { severityCode } from '../entries/severity-code.ts'
import { isAmended } from '../segments/amended-part.ts'
import { type Bitmap, createBitmap, fullBitmap, intersect, setBit, subtract, unite } from '../segments/bitmap.ts'
import type { Part, PartColumns } from '../segments/part.ts'

/** What entries must be beside having the words; what is absent does not matter. Times are epoch milliseconds. */
export type Filters = {
  /** A source, or the stem that groups sources. */
  source?: string
  /** Of which an entry has one; null is for an entry of none. */
  severities?: readonly (Severity | null)[]
  /** From this moment on. */
  since?: number
  /** Before this moment. */
  until?: number
  pattern?: string
  /** Tags of which an entry has at least one. */
  anyPattern?: readonly string[]
  /** Ids of templates of which an entry has one. */
  anyTemplate?: readonly string[]
  tenant?: string
  /** A branch's slug; `none` for entries of no branch. */
  branch?: string
}

/** `<prefix>:<host>:<unit>` and longer are grouped under `<prefix>:<host>`; another id is its own stem. */
export const stemOf = (sourceId: string): string => {
  const parts = sourceId.split(':')
  return parts.length >= 3 ? parts.slice(0, 2).join(':') : sourceId
}

export const acceptsOrigin = (filters: Filters, origin: Origin): boolean => {
  const { source, tenant, branch } = filters
  if (source !== undefined && origin.sourceId !== source && stemOf(origin.sourceId) !== source) return false
  if (tenant !== undefined && (origin.tenantId ?? '') !== tenant) return false
  return branch === undefined || (branch === 'none' ? origin.branch === null : origin.branch === branch)
}

export const acceptsTags = (filters: Filters, tags: readonly string[]): boolean =>
  (filters.pattern === undefined || tags.includes(filters.pattern)) &&
  (filters.anyPattern === undefined || filters.anyPattern.some((tag) => tags.includes(tag)))

/** The documents of a part that have one of the templates that the filters name; all where they name none. */
export const keepTemplates = async ({ anyTemplate }: Filters, part: Part, passing: Bitmap): Promise<void> => {
  if (!anyTemplate) return
  const wanted = part.templates.map((templateId) => anyTemplate.includes(templateId))
  keepByNumber(passing, part.documents, await part.templateOf(), wanted)
}

/** Whether a part can have an entry that passes, by what is known without reading its columns. */
export const mayPass = (filters: Filters, part: Part): boolean =>
  (filters.since === undefined || part.lastTime >= filters.since) &&
  (filters.until === undefined || part.firstTime < filters.until) &&
  part.streams.some(({ entries, origin }) => entries > 0 && acceptsOrigin(filters, origin)) &&
  (filters.anyTemplate === undefined || part.templates.some((id) => filters.anyTemplate?.includes(id))) &&
  part.patternSets.some((tags) => acceptsTags(filters, tags))

const keepByNumber = (passing: Bitmap, documents: number, numbers: Uint16Array, accepted: readonly boolean[]): void => {
  if (accepted.every(Boolean)) return
  const kept = createBitmap(documents)
  for (let document = 0; document < documents; document++) {
    if (accepted[numbers[document] ?? 0] === true) setBit(kept, document)
  }
  intersect(passing, kept)
}

const keepByTime = (passing: Bitmap, part: Part, { times, spans }: PartColumns, { since, until }: Filters): void => {
  const from = since ?? Number.NEGATIVE_INFINITY
  const to = until ?? Number.POSITIVE_INFINITY
  if (part.firstTime >= from && part.lastTime < to) return
  for (let word = 0; word < passing.length; word++) {
    const [first, last] = [spans.first[word] ?? 0, spans.last[word] ?? 0]
    if (first >= from && last < to) continue
    let kept = 0
    if (last >= from && first < to)
      for (let rest = passing[word] ?? 0; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest
        const time = times[(word << 5) + 31 - Math.clz32(lowest)] ?? 0
        if (time >= from && time < to) kept |= lowest
      }
    passing[word] = kept
  }
}

/** The documents of a part that pass; no column is read where nothing is asked and all may be seen. */
export const passingOf = async (filters: Filters, part: Part): Promise<Bitmap> => {
  const asksNothing = Object.values(filters).every((value) => value === undefined)
  if (asksNothing && !(isAmended(part) && part.hides)) return fullBitmap(part.documents)
  const passing = passingDocuments(filters, part, await part.columns())
  await keepTemplates(filters, part, passing)
  return passing
}

const ungraded = ({ severities }: PartColumns, documents: number): Bitmap => {
  const bitmap = fullBitmap(documents)
  for (const graded of severities) subtract(bitmap, graded)
  return bitmap
}

/** The same by columns, but for templates. */
export const passingDocuments = (filters: Filters, part: Part, columns: PartColumns): Bitmap => {
  const passing = columns.visible?.slice() ?? fullBitmap(part.documents)
  keepByNumber(
    passing,
    part.documents,
    columns.streamOf,
    part.streams.map(({ origin }) => acceptsOrigin(filters, origin)),
  )
  keepByNumber(
    passing,
    part.documents,
    columns.patternSetOf,
    part.patternSets.map((tags) => acceptsTags(filters, tags)),
  )
  keepByTime(passing, part, columns, filters)
  if (filters.severities) {
    const wanted = createBitmap(part.documents)
    for (const severity of filters.severities) {
      const bitmap =
        severity === null ? ungraded(columns, part.documents) : columns.severities[severityCode[severity] - 1]
      if (bitmap) unite(wanted, bitmap)
    }
    intersect(passing, wanted)
  }
  return passing
}
