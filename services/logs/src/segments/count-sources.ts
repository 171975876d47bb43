import { acceptsOrigin, type Filters } from '../search/filters.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { Part } from './part.ts'

/** What parts have of each source that the filters let through, by what is known of them without reading entries. */
export const countSources = async (parts: readonly Part[], filters: Filters): Promise<SourceCount[]> => {
  const counts = new Map<string, SourceCount>()
  const concerned = parts.filter(({ streams }) =>
    streams.some(({ entries, origin }) => entries > 0 && acceptsOrigin(filters, origin)),
  )
  for (const stream of (await Promise.all(concerned.map((part) => part.summaries()))).flat()) {
    if (stream.entries === 0 || !acceptsOrigin(filters, stream.origin)) continue
    const { sourceId } = stream.origin
    const known = counts.get(sourceId)
    const more = known ?? {
      sourceId,
      entries: 0,
      bySeverity: [0, 0, 0, 0],
      firstTime: stream.firstTime,
      lastTime: stream.lastTime,
    }
    more.entries += stream.entries
    more.bySeverity = more.bySeverity.map(
      (count, code) => count + (stream.bySeverity[code] ?? 0),
    ) as SourceCount['bySeverity']
    more.firstTime = Math.min(more.firstTime, stream.firstTime)
    more.lastTime = Math.max(more.lastTime, stream.lastTime)
    counts.set(sourceId, more)
  }
  return [...counts.values()]
}
