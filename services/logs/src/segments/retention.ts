import type { StoredEntry } from '../entries/entry.ts'
import type { SegmentSummary } from './catalogue.ts'
import type { Part, StreamSummary } from './part.ts'

/** How long entries are kept, counted from when they arrived, and in how much room. Plain data: it goes to the thread that keeps them. */
export type Retention = {
  /** null keeps for ever. */
  days: number | null
  /** Of all segments; null for any. What arrived longest ago goes first. */
  bytes: number | null
  /** Sources, or what their ids begin with before a colon, that have days of their own. The longest that fits counts. */
  sources: readonly { source: string; days: number }[]
}

export const keepAll: Retention = { days: null, bytes: null, sources: [] }
export const keepsAll = ({ days, bytes, sources }: Retention): boolean =>
  days === null && bytes === null && sources.length === 0

/** What to do for what is kept: let go of what was kept long enough, and with `isThorough` everything that gives room back. */
export type Care = { retention: Retention; now: number; isThorough: boolean }

/** What came of it. `bytes` are those of files. */
export type Freed = { entries: number; bytes: number; files: number }

const day = 86_400_000
/**
 * A segment is written anew only when something in it is overdue by this share of its days, or by a day where that is less: else one that
 * straddles the moment would be written anew every time somebody looks.
 */
const overdueShare = 0.1

const belongsTo = (sourceId: string, source: string): boolean =>
  sourceId === source || sourceId.startsWith(`${source}:`)

/** Days that the entries of a source are kept; null for ever. */
export const daysOf = ({ days, sources }: Retention, sourceId: string): number | null =>
  sources.filter(({ source }) => belongsTo(sourceId, source)).toSorted((a, b) => b.source.length - a.source.length)[0]
    ?.days ?? days

/** The moment (epoch milliseconds) before which what arrived of a source goes. */
const cutoffOf = (retention: Retention, now: number, sourceId: string): number => {
  const days = daysOf(retention, sourceId)
  return days === null ? Number.NEGATIVE_INFINITY : now - days * day
}

export const isExpired = (retention: Retention, now: number) => {
  const cutoffs = new Map<string, number>()
  return ({ origin: { sourceId }, ingestTime }: StoredEntry): boolean => {
    const known = cutoffs.get(sourceId) ?? cutoffOf(retention, now, sourceId)
    cutoffs.set(sourceId, known)
    return ingestTime < known
  }
}

export type Kept = { key: string; bytes: number; part: Part }
export type RetentionPlan = { drop: string[]; rewrite: string[] }

type Arrivals = { first: number; last: number }
const arrivalsOf = (stream: StreamSummary, whole: Arrivals): Arrivals => ({
  first: stream.firstIngest ?? whole.first,
  last: stream.lastIngest ?? whole.last,
})

/** Which segments go whole, and which have to be written anew without a part of them. Reads columns only of segments of before arrivals were summed up. */
export const planRetention = async (
  kept: readonly Kept[],
  retention: Retention,
  now: number,
): Promise<RetentionPlan> => {
  const plan: RetentionPlan = { drop: [], rewrite: [] }
  const staying: { key: string; bytes: number; last: number }[] = []
  for (const { key, bytes, part } of kept) {
    const streams = part.streams.filter(({ entries }) => entries > 0)
    const isSummed = streams.every(
      ({ firstIngest, lastIngest }) => firstIngest !== undefined && lastIngest !== undefined,
    )
    const whole = isSummed ? { first: 0, last: 0 } : await part.ingestTimes()
    const ages = streams.map((stream) => {
      const { first, last } = arrivalsOf(stream, whole)
      const days = daysOf(retention, stream.origin.sourceId)
      const slack = Math.min(day, (days ?? 0) * day * overdueShare)
      const cutoff = cutoffOf(retention, now, stream.origin.sourceId)
      return { last, isGone: last < cutoff, isOverdue: first < cutoff - slack }
    })
    if (ages.length > 0 && ages.every(({ isGone }) => isGone)) plan.drop.push(key)
    else {
      if (ages.some(({ isGone, isOverdue }) => isGone || isOverdue)) plan.rewrite.push(key)
      staying.push({ key, bytes, last: Math.max(...ages.map(({ last }) => last)) })
    }
  }
  let bytes = staying.reduce((sum, segment) => sum + segment.bytes, 0)
  for (const segment of staying.toSorted((a, b) => a.last - b.last)) {
    if (retention.bytes === null || bytes <= retention.bytes) break
    plan.drop.push(segment.key)
    bytes -= segment.bytes
  }
  return { drop: plan.drop, rewrite: plan.rewrite.filter((key) => !plan.drop.includes(key)) }
}

export const addFreed = (left: Freed, right: Freed): Freed => ({
  entries: left.entries + right.entries,
  bytes: left.bytes + right.bytes,
  files: left.files + right.files,
})
export const lessFreed = (from: Freed, less: Freed): Freed => ({
  entries: from.entries - less.entries,
  bytes: from.bytes - less.bytes,
  files: from.files - less.files,
})
export const nothingFreed: Freed = { entries: 0, bytes: 0, files: 0 }

/** What is freed by some segments in place of others; less than nothing where there is more than before. */
export const freedByReplacing = (old: readonly SegmentSummary[], added: readonly SegmentSummary[]): Freed =>
  lessFreed(sumOf(old), sumOf(added))

const sumOf = (segments: readonly SegmentSummary[]): Freed =>
  segments.reduce((sum, { documents, bytes }) => addFreed(sum, { entries: documents, bytes, files: 1 }), nothingFreed)
