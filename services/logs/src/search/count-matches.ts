import { intersect } from '../segments/bitmap.ts'
import { numberAt } from '../segments/number-column.ts'
import type { TimeSlices } from '../time-slices.ts'
import type { AbortCheck } from './abort-check.ts'
import { type CacheOf, cacheOfVariant } from './cache-counts.ts'
import { createFacetCounter, type Facets } from './facets.ts'
import { bucketsFor, countTimes, type Histogram, type TimedMatch } from './histogram.ts'
import { inLanes } from './lanes.ts'
import type { Match } from './match-part.ts'

/** Parts that are counted in parallel; their columns are in memory meanwhile. */
const lanes = 8
const extentBytes = 64

export type CountOptions = {
  cacheOf: CacheOf
  domainOf: (tag: string) => string
  slices: TimeSlices
  signal: AbortCheck | undefined
}

/** Counts matches by value and over time. */
export const countMatches = async (
  matches: readonly Match[],
  { cacheOf, domainOf, slices, signal }: CountOptions,
): Promise<{ facets: Facets; histogram: Histogram | null }> => {
  const counter = createFacetCounter(domainOf)
  const { first, last } = await extentOf(matches, cacheOf)
  const histogram = first <= last ? bucketsFor(first, last) : null
  await inLanes(matches, lanes, async (match) => {
    signal?.throwIfAborted()
    if (slices.isOver()) await slices.pause()
    const memoize = cacheOf(match.part)
    const bySeverity = await counter.count(match, memoize)
    if (!histogram) return
    await countTimes(histogram, match, memoize)
    for (const [severity, total] of bySeverity.entries()) {
      if (total === 0) continue
      const counts = histogram.bySeverity[severity] ?? []
      await countTimes(
        { ...histogram, counts },
        ofSeverity(match, severity, total),
        cacheOfVariant(cacheOf, `severity ${severity}`)(match.part),
      )
    }
  })
  return { facets: counter.result(), histogram }
}

/** The documents of a match that have a severity. */
const ofSeverity = (match: Match, severity: number, total: number): TimedMatch => {
  if (total === match.total) return match
  const reach = async () => {
    const [{ matched }, graded] = await Promise.all([match.reach(), match.part.severities()])
    const both = matched.slice()
    const having = graded[severity]
    if (having) intersect(both, having)
    return { matched: both }
  }
  return { part: match.part, total, reach }
}

type Extent = { first: number; last: number }

/** The first and last time of the matches. Parts within the range found so far are skipped. */
const extentOf = async (matches: readonly Match[], cacheOf: CacheOf): Promise<Extent> => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const match of matches) {
    const { part } = match
    if (part.firstTime >= first && part.lastTime <= last) continue
    const extent = await cacheOf(part)('extent', async () => ({ value: await extentIn(match), bytes: extentBytes }))
    first = Math.min(first, extent.first)
    last = Math.max(last, extent.last)
  }
  return { first, last }
}

/** Spans of documents within the range found so far are skipped. */
const extentIn = async ({ part, reach }: Match): Promise<Extent> => {
  const [{ matched }, { times, spans }] = await Promise.all([reach(), part.times()])
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let word = 0; word < matched.length; word++) {
    let rest = matched[word] ?? 0
    if (rest === 0 || ((spans.first[word] ?? 0) >= first && (spans.last[word] ?? 0) <= last)) continue
    for (; rest !== 0; rest &= rest - 1) {
      const time = numberAt(times, (word << 5) + 31 - Math.clz32(rest & -rest))
      if (time < first) first = time
      if (time > last) last = time
    }
  }
  return { first, last }
}
