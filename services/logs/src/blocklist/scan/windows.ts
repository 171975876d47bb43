import type { Query } from '../../search/query.ts'
import type { LogEngine } from '../../threads/log-engine.ts'
import { indexWords } from './line-kinds.ts'

export const hour = 3_600_000
const day = 24 * hour
/** Lengths of windows, each a multiple of the next: one with another number of entries than before is divided into shorter ones. */
const lengths = [10_000 * day, 100 * day, day, hour]

/** Lines that may match a kind; the index skips all others. */
export const linesQuery: Query = {
  clauses: [indexWords.map((word) => ({ words: [word], isPrefix: false }))],
  excluded: [],
}

export type Span = { sourceId: string; firstTime: number; lastTime: number }
type Engine = Pick<LogEngine, 'search'>

const countIn = async (engine: Engine, sourceId: string, start: number, length: number, signal: AbortSignal) => {
  const filters = { source: sourceId, since: start, until: start + length }
  const request = { query: linesQuery, filters, limit: 1, order: 'time' as const, withFacets: false }
  return (await engine.search(request, signal)).total
}

/** The known numbers of entries of hours, in windows of each length. Hours outside of the source's span have expired or were deleted. */
const knownIn = (known: ReadonlyMap<number, number>, { firstTime, lastTime }: Span): ReadonlyMap<number, number>[] =>
  lengths.map((length) => {
    const sums = new Map<number, number>()
    for (const [hourStart, entries] of known) {
      if (hourStart + hour <= firstTime || hourStart > lastTime) continue
      const start = Math.floor(hourStart / length) * length
      sums.set(start, (sums.get(start) ?? 0) + entries)
    }
    return sums
  })

/**
 * The hours of a source that have another number of entries than when they were last counted, newest first, with that number. An hour may have fewer:
 * new entries may have arrived while others expired. Longer windows are compared first, so that a year without change takes a few queries.
 */
export async function* changedHours(
  engine: Engine,
  span: Span,
  known: ReadonlyMap<number, number>,
  signal: AbortSignal,
): AsyncGenerator<{ start: number; entries: number }> {
  const { sourceId, firstTime, lastTime } = span
  const before = knownIn(known, span)
  async function* within(from: number, to: number, level: number): AsyncGenerator<{ start: number; entries: number }> {
    const length = lengths[level] ?? hour
    for (let start = Math.floor(to / length) * length; start > from - length; start -= length) {
      const entries = await countIn(engine, sourceId, start, length, signal)
      if (entries === (before[level]?.get(start) ?? 0)) continue
      if (length === hour) yield { start, entries }
      else yield* within(Math.max(from, start), Math.min(to, start + length - 1), level + 1)
    }
  }
  yield* within(firstTime, lastTime, 0)
}
