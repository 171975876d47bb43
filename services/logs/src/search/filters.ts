import type { Origin } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import { severityCode } from '../entries/severity-code.ts'
import { type Bitmap, createBitmap, fullBitmap, intersect, subtract, unite } from '../segments/bitmap.ts'
import type { SmallNumbers } from '../segments/count-columns.ts'
import { numberAt } from '../segments/number-column.ts'
import type { Part, Times } from '../segments/part.ts'
import type { SeverityColumn } from '../segments/severity-column.ts'

/** Conditions on entries besides their words; absent ones do not apply. Times are epoch milliseconds. */
export type Filters = {
  /** A source, the stem that groups sources, the prefix of such stems, or an archive whose files are sources. */
  source?: string
  /** Such names: an entry must belong to one of the first, and to none of the second. */
  anySource?: readonly string[]
  notSource?: readonly string[]
  /** The severities that pass; null is for entries without one. */
  severities?: readonly (Severity | null)[]
  /** Inclusive. */
  since?: number
  /** Exclusive. */
  until?: number
  pattern?: string
  /** Tags, at least one of which an entry must have. */
  anyPattern?: readonly string[]
  /** Tags that an entry must not have. */
  notPattern?: readonly string[]
  /** Ids of templates, one of which an entry must have. */
  anyTemplate?: readonly string[]
  /** Ids of templates that an entry must not have. */
  notTemplate?: readonly string[]
  tenant?: string
  /** A branch's slug; `none` for entries of no branch. */
  branch?: string
}

/** `<prefix>:<host>:<unit>` and longer are grouped under `<prefix>:<host>`; another id is its own stem. */
export const stemOf = (sourceId: string): string => {
  const parts = sourceId.split(':')
  return parts.length >= 3 ? parts.slice(0, 2).join(':') : sourceId
}

/** Whether a source is the named one, a unit of the named stem, or a file of the named archive. */
export const isOfSource = (sourceId: string, named: string): boolean =>
  sourceId === named || stemOf(sourceId) === named || sourceId.startsWith(`${named}/`)

/** Whether a search for a name includes a source: also a unit of the configured source with that id, on any host. */
const isFoundBy = (sourceId: string, named: string): boolean =>
  isOfSource(sourceId, named) || (stemOf(sourceId) !== sourceId && stemOf(sourceId).startsWith(`${named}:`))

export const acceptsOrigin = (filters: Filters, origin: Origin): boolean => {
  const { source, anySource, notSource, tenant, branch } = filters
  const isOf = (named: string) => isFoundBy(origin.sourceId, named)
  if (source !== undefined && !isOf(source)) return false
  if (anySource && !anySource.some(isOf)) return false
  if (notSource?.some(isOf)) return false
  if (tenant !== undefined && (origin.tenantId ?? '') !== tenant) return false
  return branch === undefined || (branch === 'none' ? origin.branch === null : origin.branch === branch)
}

export const acceptsTags = (filters: Filters, tags: readonly string[]): boolean =>
  (filters.pattern === undefined || tags.includes(filters.pattern)) &&
  (filters.anyPattern === undefined || filters.anyPattern.some((tag) => tags.includes(tag))) &&
  !filters.notPattern?.some((tag) => tags.includes(tag))

/** Whether filters accept the template of an entry; null is for an entry without one. */
export const acceptsTemplate = ({ anyTemplate, notTemplate }: Filters, templateId: string | null): boolean =>
  (anyTemplate === undefined || (templateId !== null && anyTemplate.includes(templateId))) &&
  (templateId === null || !notTemplate?.includes(templateId))

/** Filters that are prepared for many parts. */
export type PartFilter = {
  /** Whether a part may contain entries that pass, as far as known without reading its columns. */
  mayPass: (part: Part) => boolean
  /** The documents of a part that pass. Only the columns that decide are read. */
  passing: (part: Part) => Promise<Bitmap>
}

export const createPartFilter = (filters: Filters): PartFilter => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filters
  const templates = filters.anyTemplate && new Set(filters.anyTemplate)
  const hidden = new Set(filters.notTemplate)
  const isCut = ({ firstTime, lastTime }: Part) => firstTime < since || lastTime >= until
  return {
    mayPass: (part) =>
      part.lastTime >= since &&
      part.firstTime < until &&
      part.streams.some(({ entries, origin }) => entries > 0 && acceptsOrigin(filters, origin)) &&
      (templates === undefined || part.templates.some((id) => templates.has(id))) &&
      part.patternSets.some((tags) => acceptsTags(filters, tags)),
    passing: async (part) => {
      const passing = (await part.visible())?.slice() ?? fullBitmap(part.documents)
      // The most selective filter comes first, so that the others examine less.
      if (isCut(part)) keepByTime(passing, await part.times(), { since, until })
      const origins = part.streams.map(({ origin }) => acceptsOrigin(filters, origin))
      await keepByNumber(passing, part.streamOf, origins)
      const tags = part.patternSets.map((set) => acceptsTags(filters, set))
      await keepByNumber(passing, part.patternSetOf, tags)
      if (templates || hidden.size > 0) {
        const ids = part.templates.map((id) => (templates?.has(id) ?? true) && !hidden.has(id))
        await keepByNumber(passing, part.templateOf, ids)
      }
      if (filters.severities) {
        const graded = await part.severities()
        intersect(passing, ofSeverities(graded, filters.severities, part.documents))
      }
      return passing
    },
  }
}

/** Removes documents whose number in a column is not accepted. */
const keepByNumber = async (
  passing: Bitmap,
  column: () => Promise<SmallNumbers>,
  accepted: readonly boolean[],
): Promise<void> => {
  if (accepted.every(Boolean)) return
  const numbers = await column()
  const isAccepted = Uint8Array.from(accepted, Number)
  for (let word = 0; word < passing.length; word++) {
    let remaining = 0
    for (let rest = passing[word] ?? 0; rest !== 0; rest &= rest - 1) {
      const lowest = rest & -rest
      if (isAccepted[numbers[(word << 5) + 31 - Math.clz32(lowest)] ?? 0] === 1) remaining |= lowest
    }
    passing[word] = remaining
  }
}

const keepByTime = (
  passing: Bitmap,
  { times, spans }: Times,
  { since, until }: { since: number; until: number },
): void => {
  for (let word = 0; word < passing.length; word++) {
    const [first, last] = [spans.first[word] ?? 0, spans.last[word] ?? 0]
    if (first >= since && last < until) continue
    let remaining = 0
    if (last >= since && first < until)
      for (let rest = passing[word] ?? 0; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest
        const time = numberAt(times, (word << 5) + 31 - Math.clz32(lowest))
        if (time >= since && time < until) remaining |= lowest
      }
    passing[word] = remaining
  }
}

const ofSeverities = (graded: SeverityColumn, accepted: readonly (Severity | null)[], documents: number): Bitmap => {
  const bitmap = createBitmap(documents)
  for (const severity of accepted) {
    const having = severity === null ? ungraded(graded, documents) : graded[severityCode[severity] - 1]
    if (having) unite(bitmap, having)
  }
  return bitmap
}

const ungraded = (severities: SeverityColumn, documents: number): Bitmap => {
  const bitmap = fullBitmap(documents)
  for (const graded of severities) subtract(bitmap, graded)
  return bitmap
}
