import type { Query } from '../../search/query.ts'
import type { LogEngine } from '../../threads/log-engine.ts'
import { indexWords } from './line-kinds.ts'

export const hour = 3_600_000
const day = 24 * hour
/** Only the newest days of a source with a longer time span are scanned. */
const maxDays = 400

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

/**
 * The hours of a source that have more entries than when they were last counted, newest first, with their number of entries. Days are compared
 * first, so that a year without change takes 365 queries.
 */
export async function* changedHours(
  engine: Engine,
  { sourceId, firstTime, lastTime }: Span,
  known: ReadonlyMap<number, number>,
  signal: AbortSignal,
): AsyncGenerator<{ start: number; entries: number }> {
  const byDay = new Map<number, number>()
  for (const [start, entries] of known) {
    const ofDay = Math.floor(start / day) * day
    byDay.set(ofDay, (byDay.get(ofDay) ?? 0) + entries)
  }
  const newest = Math.floor(lastTime / day) * day
  const oldest = Math.max(Math.floor(firstTime / day) * day, newest - (maxDays - 1) * day)
  for (let start = newest; start >= oldest; start -= day) {
    if ((await countIn(engine, sourceId, start, day, signal)) <= (byDay.get(start) ?? 0)) continue
    for (let at = start + day - hour; at >= start; at -= hour) {
      const entries = await countIn(engine, sourceId, at, hour, signal)
      if (entries > (known.get(at) ?? 0)) yield { start: at, entries }
    }
  }
}
