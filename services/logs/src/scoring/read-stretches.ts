import type { StoredEntry } from '../entries/entry.ts'
import type { RestingSearch } from './resting-search.ts'
import type { Stretch } from './stretch.ts'
import type { TemplateSeries } from './template-series.ts'

/** Of one range so many entries are read, in so many stretches. */
const stretchCount = 40
const maxOfStretch = 500
const maxRead = stretchCount * maxOfStretch
/** Of what comes in so many of the stretches are the newest, one after the other. */
const newestStretches = 10
/** With less nothing can be told. */
const minEntries = 1_000
/** A page of a whole range. */
const pageSize = 2_000

/** When so many entries of a series had come, by how many came in each bucket. */
const timesAt = (series: TemplateSeries): { total: number; timeOf: (count: number) => number } => {
  const sums = [0]
  for (let bucket = 0; bucket < series.bucketCount; bucket++)
    sums.push((sums[bucket] ?? 0) + series.templates.reduce((sum, { buckets }) => sum + (buckets[bucket] ?? 0), 0))
  const total = sums.at(-1) ?? 0
  return {
    total,
    timeOf: (count) => {
      const bucket = Math.max(
        0,
        sums.findLastIndex((before) => before <= count),
      )
      const [before, after] = [sums[bucket] ?? 0, sums[bucket + 1] ?? 0]
      const share = after > before ? (count - before) / (after - before) : 0
      return Math.floor(series.start + (bucket + share) * series.bucketMilliseconds)
    },
  }
}

/** All of a range, cut into stretches of about as many entries each. */
const readAll = async (series: TemplateSeries, search: RestingSearch, total: number): Promise<Stretch[]> => {
  const { timeOf } = timesAt(series)
  const end = series.lastTime + 1
  const entries: StoredEntry[] = []
  const pages = Math.ceil(total / pageSize)
  const starts = Array.from({ length: pages }, (_, page) => timeOf((page * total) / pages))
  // Where a page begins is an estimate: it may have more than its share.
  for (const [page, since] of starts.entries())
    entries.push(...(await search({ since, until: starts[page + 1] ?? end }, pageSize * 2)))
  const inOrder = entries.toSorted((one, other) => one.effectiveTime - other.effectiveTime)
  return Array.from({ length: stretchCount }, (_, index): Stretch => {
    const at = (stretch: number) => Math.floor((stretch * inOrder.length) / stretchCount)
    const timeAt = (stretch: number) => inOrder[at(stretch)]?.effectiveTime ?? end
    return {
      since: timeAt(index),
      until: timeAt(index + 1),
      entries: inOrder.slice(at(index), at(index + 1)),
      goesOn: index > 0,
    }
  })
}

type Start = { entriesBefore: number; follows: boolean }

/** Where stretches begin: spread evenly, of what comes in the last of them without gaps. */
const startsOf = (series: TemplateSeries, total: number): Start[] => {
  const lately = series.judgedWhole ? 0 : newestStretches
  const spread = stretchCount - lately
  const before = total - lately * maxOfStretch
  return [
    ...Array.from({ length: spread }, (_, index) => ({ entriesBefore: (index * before) / spread, follows: false })),
    ...Array.from({ length: lately }, (_, index) => ({
      entriesBefore: before + index * maxOfStretch,
      follows: index > 0,
    })),
  ]
}

/** So much longer than it should be a stretch may be until it has its entries. */
const leeway = 4

const readSome = async (series: TemplateSeries, search: RestingSearch, total: number): Promise<Stretch[]> => {
  const { timeOf } = timesAt(series)
  const stretches: Stretch[] = []
  for (const { entriesBefore, follows } of startsOf(series, total)) {
    const before = stretches.at(-1)
    const since = follows && before ? before.until : Math.max(timeOf(entriesBefore), before?.until ?? 0)
    const end = timeOf(Math.min(total, entriesBefore + maxOfStretch * leeway))
    const latest = Math.min(end + 1, series.lastTime + 1)
    if (since >= latest) continue
    const entries = await search({ since, until: latest }, maxOfStretch)
    const last = entries.at(-1)
    // What has the time of the last may be more than was read of it.
    const until = last && entries.length >= maxOfStretch ? last.effectiveTime + 1 : latest
    if (entries.length > 0) stretches.push({ since, until, entries, goesOn: before?.until === since })
  }
  return stretches
}

/**
 * Entries of a source as they come one after the other: all of them where they are few, else stretches of some hundred spread over all. None
 * where there are too few to tell anything.
 */
export const readStretches = async (series: TemplateSeries, search: RestingSearch): Promise<Stretch[]> => {
  const { total } = timesAt(series)
  if (total < minEntries) return []
  return total <= maxRead ? readAll(series, search, total) : readSome(series, search, total)
}
