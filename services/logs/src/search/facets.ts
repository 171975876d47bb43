import type { Severity } from '../entries/severity-code.ts'
import { severities } from '../entries/severity-code.ts'
import { type Bitmap, countCommonBits } from '../segments/bitmap.ts'
import { countNumbers } from '../segments/count-columns.ts'
import type { Part } from '../segments/part.ts'

export type FacetCount<Value> = { value: Value; count: number }
export type Facets = {
  severity: FacetCount<Severity | null>[]
  source: FacetCount<string>[]
  /** Tags of patterns; an entry counts once for each it has. */
  pattern: FacetCount<string>[]
  domain: FacetCount<string>[]
}

const mostValues = 100

/** What of a part matched, and how many documents that is. */
export type CountedMatch = { part: Part; matched: Bitmap; total: number }

export type FacetCounter = {
  count: (match: CountedMatch) => Promise<void>
  /** Most frequent first, at most a hundred of each. */
  result: () => Facets
}

/** `domainOf` gives the domain of a pattern's tag, empty where it has none. */
export const createFacetCounter = (domainOf: (tag: string) => string): FacetCounter => {
  const bySeverity = new Map<Severity | null, number>()
  const bySource = new Map<string, number>()
  const byPattern = new Map<string, number>()
  const byDomain = new Map<string, number>()
  const add = <Value>(counts: Map<Value, number>, value: Value, more: number) => {
    if (more > 0) counts.set(value, (counts.get(value) ?? 0) + more)
  }
  return {
    async count({ part, matched, total }) {
      const bitmaps = await part.severities()
      let graded = 0
      severities.forEach((severity, index) => {
        const bitmap = bitmaps[index]
        const count = bitmap ? countCommonBits(matched, bitmap) : 0
        add(bySeverity, severity, count)
        graded += count
      })
      add(bySeverity, null, total - graded)
      const isPlain = part.streams.length === 1 && part.patternSets.length === 1
      if (isPlain) return add(bySource, part.streams[0]?.origin.sourceId ?? '', total)
      const cells = await part.cells()
      countNumbers(matched, cells.cellOf, { distinct: cells.streams.length }).forEach((count, cell) => {
        if (count === 0) return
        add(bySource, part.streams[cells.streams[cell] ?? 0]?.origin.sourceId ?? '', count)
        const tags = part.patternSets[cells.patternSets[cell] ?? 0] ?? []
        for (const tag of tags) add(byPattern, tag, count)
        for (const domain of new Set(tags.map(domainOf))) if (domain !== '') add(byDomain, domain, count)
      })
    },
    result: () => ({
      severity: ranked(bySeverity),
      source: ranked(bySource),
      pattern: ranked(byPattern),
      domain: ranked(byDomain),
    }),
  }
}

const ranked = <Value>(counts: Map<Value, number>): FacetCount<Value>[] =>
  [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
    .slice(0, mostValues)
