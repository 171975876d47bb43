import { isOfSource } from '../search/filters.ts'
import type { SourceCount } from '../threads/index-calls.ts'

/** A source that was asked about and says nothing. `last` is the time of its last entry, epoch milliseconds. */
export type Silence = { sourceId: string; last: number }

const quietMilliseconds = 15 * 60_000
/** A source that has been still for longer was not expected to say something: it is an old file, or gone. */
const goneMilliseconds = 7 * 86_400_000

/** Which of the named sources have said nothing for a quarter of an hour before `until`, though they did in the week before. */
export const silentSources = (named: readonly string[], counts: readonly SourceCount[], until: number): Silence[] =>
  named.flatMap((sourceId) => {
    const own = counts.filter((count) => isOfSource(count.sourceId, sourceId))
    const last = Math.max(...own.map(({ lastTime }) => lastTime))
    const quiet = until - last
    return Number.isFinite(last) && quiet >= quietMilliseconds && quiet < goneMilliseconds ? [{ sourceId, last }] : []
  })
