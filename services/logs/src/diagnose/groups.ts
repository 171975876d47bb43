import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'

/** Entries of one template from one source, which a reader or a model needs to see once. Times are epoch milliseconds. */
export type Group = {
  /** The newest entry comes first and represents the group. */
  entries: [StoredEntry, ...StoredEntry[]]
  template: string
  worst: Severity | null
  first: number
  last: number
  /** The number of entries of the template in the source and the window, including those not shown; absent if unknown. */
  total?: number
  /** When the template was first seen in any source; absent if unknown. */
  firstEver?: number
}

/** The kind of an entry: entries with the same `id` differ only in variable parts. */
export type Kind = { id: string; template: string }
export type KindOf = (entry: StoredEntry) => Kind

const maxCharacters = 200
const variable = /\b0x[\da-f]+\b|\b[\da-f]{8,}\b|\d+(?:[.:,/-]\d+)*/gi

/** The kind of an entry without a known template: its first line without parts that look like values. */
export const roughKind: KindOf = ({ text }) => {
  const end = text.indexOf('\n')
  const line = end < 0 ? text : text.slice(0, end)
  const template = line.slice(0, maxCharacters).replaceAll(variable, '<*>')
  return { id: template, template }
}

const order: readonly (Severity | null)[] = ['CRITICAL', 'ERROR', 'WARN', null]
export const worseOf = (one: Severity | null, other: Severity | null): Severity | null =>
  order.indexOf(one) <= order.indexOf(other) ? one : other

/** Kinds by the templates of the store; entries without one get a rough kind from their text. */
export const kindsOf = (templates: readonly TemplateCounts[]): KindOf => {
  const known = new Map(templates.map(({ templateId, template }) => [templateId, { id: templateId, template }]))
  return (entry) => (entry.templateId === null ? undefined : known.get(entry.templateId)) ?? roughKind(entry)
}

/** Groups entries by source and kind, in order of first occurrence. */
export const groupRepeats = (entries: readonly StoredEntry[], kindOf: KindOf): Group[] => {
  const groups = new Map<string, Group>()
  for (const entry of entries) {
    const { id, template } = kindOf(entry)
    const key = JSON.stringify([entry.origin.branch, entry.origin.sourceId, id])
    const known = groups.get(key)
    if (!known) {
      const { effectiveTime: time, severity } = entry
      groups.set(key, { entries: [entry], template, worst: severity, first: time, last: time })
      continue
    }
    if (entry.effectiveTime > known.last) known.entries.unshift(entry)
    else known.entries.push(entry)
    known.first = Math.min(known.first, entry.effectiveTime)
    known.last = Math.max(known.last, entry.effectiveTime)
    known.worst = worseOf(known.worst, entry.severity)
  }
  return [...groups.values()]
}

/** The number of occurrences of a group as far as known, including repeats that a line counts itself. */
export const timesIn = ({ entries, total = 0 }: Group): number =>
  Math.max(
    total,
    entries.reduce((sum, { repeatCount }) => sum + repeatCount, 0),
  )
