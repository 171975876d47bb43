import { isOfSource } from '../search/filters.ts'
import type { SourceCount } from '../threads/index-calls.ts'

/** A source in the question that has stopped logging. `last` is the time of its last entry, epoch milliseconds. */
export type Silence = { sourceId: string; last: number }

const quietMilliseconds = 15 * 60_000
/** A source that has been silent for longer is an old file or removed, so silence is expected. */
const goneMilliseconds = 7 * 86_400_000

/** The named sources without entries in the quarter of an hour before `until` that have entries in the week before it. */
export const silentSources = (named: readonly string[], counts: readonly SourceCount[], until: number): Silence[] =>
  named.flatMap((sourceId) => {
    const own = counts.filter((count) => isOfSource(count.sourceId, sourceId))
    const last = Math.max(...own.map(({ lastTime }) => lastTime))
    const quiet = until - last
    return Number.isFinite(last) && quiet >= quietMilliseconds && quiet < goneMilliseconds ? [{ sourceId, last }] : []
  })
