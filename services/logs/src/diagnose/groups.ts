import type { StoredEntry } from '../entries/entry.ts'
import type { Severity } from '../entries/severity-code.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'

/** Entries of one kind from one source: what a reader, or a model, needs to see once. Times are epoch milliseconds. */
export type Group = {
  /** The newest of them stands for all. */
  entries: [StoredEntry, ...StoredEntry[]]
  template: string
  worst: Severity | null
  first: number
  last: number
  /** How many there are of the kind in the source and the window, those not shown included; absent where that is not known. */
  total?: number
  /** When the kind was first seen, ever; absent where that is not known. */
  firstEver?: number
}

/** What an entry is of: entries with the same `id` say the same with other values. */
export type Kind = { id: string; template: string }
export type KindOf = (entry: StoredEntry) => Kind

const maxCharacters = 200
const variable = /\b0x[\da-f]+\b|\b[\da-f]{8,}\b|\d+(?:[.:,/-]\d+)*/gi

/** The kind of an entry for which no template is known: its first line without what looks like a value. */
export const roughKind: KindOf = ({ text }) => {
  const end = text.indexOf('\n')
  const line = end < 0 ? text : text.slice(0, end)
  const template = line.slice(0, maxCharacters).replaceAll(variable, '<*>')
  return { id: template, template }
}

const order: readonly (Severity | null)[] = ['CRITICAL', 'ERROR', 'WARN', null]
export const worseOf = (one: Severity | null, other: Severity | null): Severity | null =>
  order.indexOf(one) <= order.indexOf(other) ? one : other

/** Kinds as the store counts them, by template; entries without one have the kind that their text looks like. */
export const kindsOf = (templates: readonly TemplateCounts[]): KindOf => {
  const known = new Map(templates.map(({ templateId, template }) => [templateId, { id: templateId, template }]))
  return (entry) => (entry.templateId === null ? undefined : known.get(entry.templateId)) ?? roughKind(entry)
}

/** Entries by source and kind, the kinds in the order in which they first come. */
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

/** How often what a group is of happened, repeats that a line counts itself included, as far as that is known. */
export const timesIn = ({ entries, total = 0 }: Group): number =>
  Math.max(
    total,
    entries.reduce((sum, { repeatCount }) => sum + repeatCount, 0),
  )
