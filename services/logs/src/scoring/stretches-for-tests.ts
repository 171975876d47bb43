import type { StoredEntry } from '../entries/entry.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import { entryForTests } from './security-for-tests.ts'
import type { Stretch } from './stretch.ts'

/** A line as a test says it: its text, and the kind of message that it is. */
export type Said = { text: string; kind: string }

const millisecondsBetween = 1_000
/** When the line of a number comes. */
export const timeOfLine = (index: number): number => index * millisecondsBetween

const entryOf = ({ text, kind }: Said, index: number): StoredEntry => ({
  ...entryForTests(text, timeOfLine(index) / 1_000),
  entryId: `entry ${index}`,
  sequence: index,
  templateId: kind,
})

/** Lines, one a second, in stretches of so many. */
export const stretchesOf = (said: readonly Said[], size: number): Stretch[] =>
  Array.from({ length: Math.ceil(said.length / size) }, (_, index) => {
    const first = index * size
    const entries = said.slice(first, first + size).map((line, place) => entryOf(line, first + place))
    const until = (first + entries.length) * millisecondsBetween
    return { since: first * millisecondsBetween, until, entries, goesOn: index > 0 }
  })
/** The kinds of messages, of which only the wording and the level matter here: 0 none, 1 CRITICAL, 2 ERROR, 3 WARN. */
export const templatesOf = (
  said: readonly Said[],
  levels: Readonly<Record<string, 1 | 2 | 3>> = {},
): TemplateCounts[] =>
  [...new Set(said.map(({ kind }) => kind))].map((kind) => {
    const bySeverity: TemplateCounts['bySeverity'] = [0, 0, 0, 0]
    bySeverity[levels[kind] ?? 0] = 1
    const times = { firstSeen: 0, lastSeen: 0, firstCounted: 0, lastCounted: 0 }
    return { templateId: kind, template: kind, count: 1, bySeverity, ...times, buckets: [] }
  })
