import type { Severity } from '../entries/severity-code.ts'
import { severities } from '../entries/severity-code.ts'
import { type Bitmap, countBits, countCommonBits } from '../segments/bitmap.ts'
import type { Part, PartColumns } from '../segments/part.ts'

export type FacetCount<Value> = { value: Value; count: number }
export type Facets = {
  severity: FacetCount<Severity | null>[]
  source: FacetCount<string>[]
  /** Tags of patterns; an entry counts once for each it has. */
  pattern: FacetCount<string>[]
  domain: FacetCount<string>[]
}

const mostValues = 100

export type FacetCounter = {
  count: (part: Part, columns: PartColumns, matched: Bitmap, documents: Uint32Array) => void
  /** Most frequent first, at most a hundred of each. */
  result: () => Facets
}

/**
 * How many documents have each number. Neighbours often have the same one, and a counter cannot be added to before it was stored: two
 * sets of counters take turns.
 */
const numbersOf = (documents: Uint32Array, numbers: Uint16Array, distinct: number): Uint32Array => {
  const even = new Uint32Array(distinct)
  const odd = new Uint32Array(distinct)
  for (let index = 0; index < documents.length - 1; index += 2) {
    const number = numbers[documents[index] ?? 0] ?? 0
    const next = numbers[documents[index + 1] ?? 0] ?? 0
    even[number] = (even[number] ?? 0) + 1
    odd[next] = (odd[next] ?? 0) + 1
  }
  if (documents.length % 2 === 1) {
    const number = numbers[documents.at(-1) ?? 0] ?? 0
    even[number] = (even[number] ?? 0) + 1
  }
  for (let number = 0; number < distinct; number++) even[number] = (even[number] ?? 0) + (odd[number] ?? 0)
  return even
}

/** The same for numbers of which most are 0; how many that are is not told. */
const numbersPastZero = (documents: Uint32Array, numbers: Uint16Array, distinct: number): Uint32Array => {
  const counts = new Uint32Array(distinct)
  for (let index = 0; index < documents.length; index++) {
    const number = numbers[documents[index] ?? 0] ?? 0
    if (number !== 0) counts[number] = (counts[number] ?? 0) + 1
  }
  return counts
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
    count(part, columns, matched, documents) {
      let graded = 0
      severities.forEach((severity, index) => {
        const bitmap = columns.severities[index]
        const count = bitmap ? countCommonBits(matched, bitmap) : 0
        add(bySeverity, severity, count)
        graded += count
      })
      add(bySeverity, null, countBits(matched) - graded)
      if (part.streams.length === 1) add(bySource, part.streams[0]?.origin.sourceId ?? '', documents.length)
      else {
        numbersOf(documents, columns.streamOf, part.streams.length).forEach((count, stream) => {
          add(bySource, part.streams[stream]?.origin.sourceId ?? '', count)
        })
      }
      if (part.patternSets.length === 1) return
      // The first set is the empty one.
      numbersPastZero(documents, columns.patternSetOf, part.patternSets.length).forEach((count, set) => {
        if (count === 0) return
        const tags = part.patternSets[set] ?? []
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
