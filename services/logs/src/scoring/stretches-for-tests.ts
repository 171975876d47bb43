import type { StoredEntry } from '../entries/entry.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import { entryForTests } from './security-for-tests.ts'
import type { Stretch } from './stretch.ts'

/** A line of a test log: its text and its template. */
export type TestLine = { text: string; kind: string }

const millisecondsBetween = 1_000
/** The time of the line with this index. */
export const timeOfLine = (index: number): number => index * millisecondsBetween

const entryOf = ({ text, kind }: TestLine, index: number): StoredEntry => ({
  ...entryForTests(text, timeOfLine(index) / 1_000),
  entryId: `entry ${index}`,
  sequence: index,
  templateId: kind,
})

/** Splits lines, one per second, into stretches of `size`. */
export const stretchesOf = (lines: readonly TestLine[], size: number): Stretch[] =>
  Array.from({ length: Math.ceil(lines.length / size) }, (_, index) => {
    const first = index * size
    const entries = lines.slice(first, first + size).map((line, offset) => entryOf(line, first + offset))
    const until = (first + entries.length) * millisecondsBetween
    return { since: first * millisecondsBetween, until, entries, followsPrevious: index > 0 }
  })
/** The templates of the lines; only their wording and level matter here: 0 none, 1 CRITICAL, 2 ERROR, 3 WARN. */
export const templatesOf = (
  lines: readonly TestLine[],
  levels: Readonly<Record<string, 1 | 2 | 3>> = {},
): TemplateCounts[] =>
  [...new Set(lines.map(({ kind }) => kind))].map((kind) => {
    const bySeverity: TemplateCounts['bySeverity'] = [0, 0, 0, 0]
    bySeverity[levels[kind] ?? 0] = 1
    const times = { firstSeen: 0, lastSeen: 0, firstCounted: 0, lastCounted: 0 }
    return { templateId: kind, template: kind, count: 1, bySeverity, ...times, buckets: [] }
  })
