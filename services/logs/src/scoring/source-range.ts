import type { SourceCount } from '../threads/index-calls.ts'
import type { ScoredSourceRow } from './tables.ts'

/** Entries of a source from `since` up to but without `until` (epoch milliseconds) that are to be scored. */
export type SourceRange = {
  sourceId: string
  /** What is found from here on is new; what comes before is only there to compare with. */
  since: number
  until: number
  /** Of all entries of the source. */
  firstTime: number
}

/** Entries come late and out of order; those of so long before the last that was seen are looked at again. */
export const lookBackMilliseconds = 10 * 60_000

export const wholeRange = ({ sourceId, firstTime, lastTime }: SourceCount): SourceRange => ({
  sourceId,
  since: firstTime,
  until: lastTime + 1,
  firstTime,
})

/**
 * What of a source is to be scored now: nothing where nothing came, the end where that is where it came, and all of it where something came further
 * back. `countSince` tells how many entries there are from a moment on.
 */
export const rangeToScore = async (
  source: SourceCount,
  known: ScoredSourceRow | undefined,
  countSince: (moment: number) => Promise<number>,
): Promise<SourceRange | undefined> => {
  if (!known) return wholeRange(source)
  const grown = source.entries - known.entries
  if (grown <= 0) return undefined
  const from = known.seen_until - lookBackMilliseconds
  const cameLately = (await countSince(from)) - known.recent
  return cameLately >= grown ? { ...wholeRange(source), since: Math.max(from, source.firstTime) } : wholeRange(source)
}
