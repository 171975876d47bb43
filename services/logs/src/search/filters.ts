import type { Origin } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import { severityCode } from '../entries/severity-code.ts'
import { type Bitmap, createBitmap, fullBitmap, intersect, subtract, unite } from '../segments/bitmap.ts'
import type { SmallNumbers } from '../segments/count-columns.ts'
import { numberAt } from '../segments/number-column.ts'
import type { Part, Times } from '../segments/part.ts'
import type { SeverityColumn } from '../segments/severity-column.ts'

/** What entries must be beside having the words; what is absent does not matter. Times are epoch milliseconds. */
export type Filters = {
  /** A source, the stem that groups sources, or an archive whose files are sources. */
  source?: string
  /** Sources, stems or archives of which an entry has one, and of which it has none. */
  anySource?: readonly string[]
  notSource?: readonly string[]
  /** Of which an entry has one; null is for an entry of none. */
  severities?: readonly (Severity | null)[]
  /** From this moment on. */
  since?: number
  /** Before this moment. */
  until?: number
  pattern?: string
  /** Tags of which an entry has at least one. */
  anyPattern?: readonly string[]
  /** Tags that an entry may not have. */
  notPattern?: readonly string[]
  /** Ids of templates of which an entry has one. */
  anyTemplate?: readonly string[]
  /** Ids of templates that an entry may not have. */
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

/** Whether a source is the one that is named, a unit of the stem that is, or a file of the archive that is. */
export const isOfSource = (sourceId: string, named: string): boolean =>
  sourceId === named || stemOf(sourceId) === named || sourceId.startsWith(`${named}/`)

export const acceptsOrigin = (filters: Filters, origin: Origin): boolean => {
  const { source, anySource, notSource, tenant, branch } = filters
  const isOf = (named: string) => isOfSource(origin.sourceId, named)
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

/** Filters made ready to be asked of many parts. */
export type PartFilter = {
  /** Whether a part can have an entry that passes, by what is known without reading its columns. */
  mayPass: (part: Part) => boolean
  /** The documents of a part that pass. Of its columns those are read that decide. */
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
      // First what leaves least for the rest to look at.
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

/** Keeps the documents whose number in a column is accepted. */
const keepByNumber = async (
  passing: Bitmap,
  column: () => Promise<SmallNumbers>,
  accepted: readonly boolean[],
): Promise<void> => {
  if (accepted.every(Boolean)) return
  const numbers = await column()
  const isAccepted = Uint8Array.from(accepted, Number)
  for (let word = 0; word < passing.length; word++) {
    let kept = 0
    for (let rest = passing[word] ?? 0; rest !== 0; rest &= rest - 1) {
      const lowest = rest & -rest
      if (isAccepted[numbers[(word << 5) + 31 - Math.clz32(lowest)] ?? 0] === 1) kept |= lowest
    }
    passing[word] = kept
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
    let kept = 0
    if (last >= since && first < until)
      for (let rest = passing[word] ?? 0; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest
        const time = numberAt(times, (word << 5) + 31 - Math.clz32(lowest))
        if (time >= since && time < until) kept |= lowest
      }
    passing[word] = kept
  }
}

const ofSeverities = (graded: SeverityColumn, wanted: readonly (Severity | null)[], documents: number): Bitmap => {
  const bitmap = createBitmap(documents)
  for (const severity of wanted) {
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
