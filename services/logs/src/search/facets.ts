import type { Severity } from '../entries/severity-code.ts'
import { severities } from '../entries/severity-code.ts'
import { countCommonBits } from '../segments/bitmap.ts'
import { countNumbers } from '../segments/count-columns.ts'
import type { Memoize } from '../segments/part.ts'
import type { Match } from './match-part.ts'

export type FacetCount<Value> = { value: Value; count: number }
export type Facets = {
  severity: FacetCount<Severity | null>[]
  source: FacetCount<string>[]
  /** Tags of patterns; an entry counts once for each of its tags. */
  pattern: FacetCount<string>[]
  domain: FacetCount<string>[]
}

/** Maximum number of values per facet; the most frequent ones are returned. */
export const maxFacetValues = 1_000

/** The matches of a part, and the number of their documents. */
export type CountedMatch = Pick<Match, 'part' | 'total' | 'reach'>

/** Counts of a part's matches by severity, in the order of `severities`, and by pair of stream and pattern set. */
type MatchCounts = {
  bySeverity: readonly number[]
  byPair: readonly { stream: number; patternSet: number; count: number }[]
}

/** Approximate memory of a pair. */
const pairBytes = 64

const countMatch = async ({ part, total, reach }: CountedMatch): Promise<MatchCounts> => {
  const [bitmaps, { matched }] = await Promise.all([part.severities(), reach()])
  const bySeverity = bitmaps.map((bitmap) => countCommonBits(matched, bitmap))
  const isPlain = part.streams.length === 1 && part.patternSets.length === 1
  if (isPlain) return { bySeverity, byPair: [{ stream: 0, patternSet: 0, count: total }] }
  const { cellOf, streams, patternSets } = await part.cells()
  const counts = countNumbers(matched, cellOf, { distinct: streams.length })
  const byPair = [...counts].flatMap((count, cell) =>
    count === 0 ? [] : [{ stream: streams[cell] ?? 0, patternSet: patternSets[cell] ?? 0, count }],
  )
  return { bySeverity, byPair }
}

export type FacetCounter = {
  /** Counts a match, and returns its numbers of documents by severity, in the order of `severities`. */
  count: (match: CountedMatch, memoize: Memoize) => Promise<readonly number[]>
  /** Most frequent first. */
  result: () => Facets
}

/** `domainOf` returns the domain of a pattern's tag, or '' if it has none. */
export const createFacetCounter = (domainOf: (tag: string) => string): FacetCounter => {
  const bySeverity = new Map<Severity | null, number>()
  const bySource = new Map<string, number>()
  const byPattern = new Map<string, number>()
  const byDomain = new Map<string, number>()
  const add = <Value>(counts: Map<Value, number>, value: Value, more: number) => {
    if (more > 0) counts.set(value, (counts.get(value) ?? 0) + more)
  }
  return {
    async count(match, memoize) {
      const { streams, patternSets } = match.part
      const { bySeverity: graded, byPair } = await memoize('facets', async () => {
        const value = await countMatch(match)
        return { value, bytes: pairBytes * (1 + value.byPair.length) }
      })
      severities.forEach((severity, index) => {
        add(bySeverity, severity, graded[index] ?? 0)
      })
      add(bySeverity, null, match.total - graded.reduce((sum, count) => sum + count, 0))
      for (const { stream, patternSet, count } of byPair) {
        add(bySource, streams[stream]?.origin.sourceId ?? '', count)
        const tags = patternSets[patternSet] ?? []
        for (const tag of tags) add(byPattern, tag, count)
        for (const domain of new Set(tags.map(domainOf))) if (domain !== '') add(byDomain, domain, count)
      }
      return graded
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
    .slice(0, maxFacetValues)
