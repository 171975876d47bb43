import { acceptsOrigin, acceptsTags, createPartFilter, type Filters } from '../search/filters.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import { documentsOf } from './bitmap.ts'
import { numberAt } from './number-column.ts'
import type { Part, StreamSummary } from './part.ts'
import { severityAt } from './severity-column.ts'

/** The counts of a stream. */
type StreamCount = Pick<StreamSummary, 'entries' | 'bySeverity' | 'firstTime' | 'lastTime'>

const nothing = (): StreamCount => ({
  entries: 0,
  bySeverity: [0, 0, 0, 0],
  firstTime: Number.POSITIVE_INFINITY,
  lastTime: Number.NEGATIVE_INFINITY,
})

/** Whether each stream with entries is completely inside or outside the filters, so that summaries suffice. */
const canUseSummaries = (part: Part, filters: Filters): boolean => {
  const {
    since = Number.NEGATIVE_INFINITY,
    until = Number.POSITIVE_INFINITY,
    severities,
    anyTemplate,
    notTemplate,
  } = filters
  const isCut = ({ firstTime, lastTime }: StreamSummary) =>
    (firstTime < since && lastTime >= since) || (firstTime < until && lastTime >= until)
  return (
    severities === undefined &&
    anyTemplate === undefined &&
    notTemplate === undefined &&
    part.patternSets.every((tags) => acceptsTags(filters, tags)) &&
    part.streams.every((stream) => stream.entries === 0 || !acceptsOrigin(filters, stream.origin) || !isCut(stream))
  )
}

/** Counts by stream number, from the summaries. */
const summariesOf = async (part: Part, filters: Filters): Promise<StreamCount[]> => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filters
  return (await part.summaries()).map((stream) =>
    acceptsOrigin(filters, stream.origin) && stream.firstTime >= since && stream.lastTime < until ? stream : nothing(),
  )
}

/** Counts by stream number, entry by entry. */
const countedOf = async (part: Part, documents: Uint32Array): Promise<StreamCount[]> => {
  const [{ times }, severities, streamOf] = await Promise.all([part.times(), part.severities(), part.streamOf()])
  const counts = part.streams.map(nothing)
  for (const document of documents) {
    const count = counts[streamOf[document] ?? 0]
    if (!count) continue
    const time = numberAt(times, document)
    const severity = severityAt(severities, document)
    count.entries++
    count.bySeverity[severity] = (count.bySeverity[severity] ?? 0) + 1
    if (time < count.firstTime) count.firstTime = time
    if (time > count.lastTime) count.lastTime = time
  }
  return counts
}

/**
 * Counts the entries of each source that pass the filters: from the summaries of a part where these suffice, else from its columns. Throws
 * SegmentCorrupt for a part that cannot be read.
 */
export const countSources = async (parts: readonly Part[], filters: Filters): Promise<SourceCount[]> => {
  const found = new Map<string, SourceCount>()
  const filter = createPartFilter(filters)
  const add = (sourceId: string, count: StreamCount) => {
    const known = found.get(sourceId)
    if (!known) {
      const { entries, bySeverity, firstTime, lastTime } = count
      found.set(sourceId, { sourceId, entries, bySeverity: [...bySeverity], firstTime, lastTime })
      return
    }
    known.entries += count.entries
    count.bySeverity.forEach((more, code) => {
      known.bySeverity[code] = (known.bySeverity[code] ?? 0) + more
    })
    known.firstTime = Math.min(known.firstTime, count.firstTime)
    known.lastTime = Math.max(known.lastTime, count.lastTime)
  }
  const countsOf = async (part: Part): Promise<StreamCount[]> =>
    canUseSummaries(part, filters)
      ? summariesOf(part, filters)
      : countedOf(part, documentsOf(await filter.passing(part)))
  // Sequential: the columns of all parts at once would exceed the cache.
  for (const part of parts) {
    if (!filter.mayPass(part)) continue
    const counts = await countsOf(part)
    part.streams.forEach(({ origin }, stream) => {
      const count = counts[stream]
      if (count && count.entries > 0) add(origin.sourceId, count)
    })
  }
  return [...found.values()]
}
