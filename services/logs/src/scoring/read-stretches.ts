import type { StoredEntry } from '../entries/entry.ts'
import type { Stretch } from './stretch.ts'
import type { TemplateSeries } from './template-series.ts'
import type { ThrottledSearch } from './throttled-search.ts'

/** The number of stretches of a range, and of entries in each. */
const stretchCount = 40
const maxOfStretch = 500
const maxRead = stretchCount * maxOfStretch
/** When scoring recent entries, this many stretches are the newest ones, without gaps between them. */
const newestStretches = 10
/** Fewer entries are not enough evidence. */
const minEntries = 1_000
/** Page size when reading a whole range. */
const pageSize = 2_000

/** The time by which `count` entries of a series had arrived, interpolated from the counts per bucket. */
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

/** Reads a whole range, and splits it into stretches with about equal numbers of entries. */
const readAll = async (series: TemplateSeries, search: ThrottledSearch, total: number): Promise<Stretch[]> => {
  const { timeOf } = timesAt(series)
  const end = series.lastTime + 1
  const entries: StoredEntry[] = []
  const pages = Math.ceil(total / pageSize)
  const starts = Array.from({ length: pages }, (_, page) => timeOf((page * total) / pages))
  // The start of a page is an estimate, so a page may contain more than its share.
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
      followsPrevious: index > 0,
    }
  })
}

type Start = { entriesBefore: number; follows: boolean }

/** The starts of stretches: evenly spread, the newest ones without gaps. */
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

/** A stretch may span this multiple of its expected number of entries before it is cut off. */
const leeway = 4

const readSome = async (series: TemplateSeries, search: ThrottledSearch, total: number): Promise<Stretch[]> => {
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
    // More entries may share the time of the last one than were read.
    const until = last && entries.length >= maxOfStretch ? last.effectiveTime + 1 : latest
    if (entries.length > 0) stretches.push({ since, until, entries, followsPrevious: before?.until === since })
  }
  return stretches
}

/**
 * Reads consecutive entries of a source: all of them if they are few, otherwise stretches of some hundred that are spread over the range. Returns no
 * stretches if there are too few entries for evidence.
 */
export const readStretches = async (series: TemplateSeries, search: ThrottledSearch): Promise<Stretch[]> => {
  const { total } = timesAt(series)
  if (total < minEntries) return []
  return total <= maxRead ? readAll(series, search, total) : readSome(series, search, total)
}
