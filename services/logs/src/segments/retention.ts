import type { StoredEntry } from '../entries/entry.ts'
import type { SegmentSummary } from './catalogue.ts'
import type { Part, StreamSummary } from './part.ts'

/** How long entries are retained, counted from their arrival, and in how much disk space. Plain data, because it is sent to a thread. */
export type Retention = {
  /** null: for ever. */
  days: number | null
  /** Maximum bytes of all segments; null: unlimited. The segments that arrived first are dropped first. */
  bytes: number | null
  /** Sources, or prefixes of their ids up to a colon, with a retention of their own. The longest match counts. */
  sources: readonly { source: string; days: number }[]
}

export const unlimitedRetention: Retention = { days: null, bytes: null, sources: [] }
export const isUnlimited = ({ days, bytes, sources }: Retention): boolean =>
  days === null && bytes === null && sources.length === 0

/** A run of maintenance: delete expired entries, and with `isThorough` reclaim all disk space that can be reclaimed. */
export type MaintenanceRequest = { retention: Retention; now: number; isThorough: boolean }

/** The result of maintenance. `bytes` are those of files. */
export type Freed = { entries: number; bytes: number; files: number }

const day = 86_400_000
/**
 * A segment is rewritten only when some of its entries are overdue by this share of their retention, or by a day if that is less: otherwise a
 * segment that straddles the cutoff would be rewritten in every run.
 */
const overdueShare = 0.1

const belongsTo = (sourceId: string, source: string): boolean =>
  sourceId === source || sourceId.startsWith(`${source}:`)

/** The retention of a source in days; null: for ever. */
export const daysOf = ({ days, sources }: Retention, sourceId: string): number | null =>
  sources.filter(({ source }) => belongsTo(sourceId, source)).toSorted((a, b) => b.source.length - a.source.length)[0]
    ?.days ?? days

/** Entries of a source that arrived before this moment (epoch milliseconds) are expired. */
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

export type RetainedSegment = { key: string; bytes: number; part: Part }
export type RetentionPlan = { drop: string[]; rewrite: string[] }

type Arrivals = { first: number; last: number }
const arrivalsOf = (stream: StreamSummary, whole: Arrivals): Arrivals => ({
  first: stream.firstIngest ?? whole.first,
  last: stream.lastIngest ?? whole.last,
})

/**
 * Decides which segments are dropped whole, and which must be rewritten without their expired entries. Reads columns only of older segments
 * without arrival times in their summaries.
 */
export const planRetention = async (
  stored: readonly RetainedSegment[],
  retention: Retention,
  now: number,
): Promise<RetentionPlan> => {
  const plan: RetentionPlan = { drop: [], rewrite: [] }
  const staying: { key: string; bytes: number; last: number }[] = []
  for (const { key, bytes, part } of stored) {
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

/** What is freed by replacing segments; negative if the new ones are larger. */
export const freedByReplacing = (old: readonly SegmentSummary[], added: readonly SegmentSummary[]): Freed =>
  lessFreed(sumOf(old), sumOf(added))

const sumOf = (segments: readonly SegmentSummary[]): Freed =>
  segments.reduce((sum, { documents, bytes }) => addFreed(sum, { entries: documents, bytes, files: 1 }), nothingFreed)
