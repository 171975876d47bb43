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
/** Of a source that never rests ten minutes are as much as all that came in them: where nothing came later than this, no more is looked at again. */
export const nearMilliseconds = 10_000

/** How many entries a source had before a moment near the last that was seen. Where it is not remembered, more is looked at again. */
export type Near = { seenUntil: number; from: number; before: number }

export const wholeRange = ({ sourceId, firstTime, lastTime }: SourceCount): SourceRange => ({
  sourceId,
  since: firstTime,
  until: lastTime + 1,
  firstTime,
})

export type RangeQuestion = {
  source: SourceCount
  known: ScoredSourceRow | undefined
  near: Near | undefined
  /** How many entries the source has from one moment on and before another. */
  countIn: (since: number | undefined, until: number | undefined) => Promise<number>
}

/**
 * What of a source is to be scored now: nothing where nothing came, the end where that is where it came, and all of it where something came further
 * back.
 */
export const rangeToScore = async ({
  source,
  known,
  near,
  countIn,
}: RangeQuestion): Promise<SourceRange | undefined> => {
  if (!known) return wholeRange(source)
  const grown = source.entries - known.entries
  if (grown <= 0) return undefined
  const from = (moment: number): SourceRange => ({ ...wholeRange(source), since: Math.max(moment, source.firstTime) })
  if (near?.seenUntil === known.seen_until && (await countIn(undefined, near.from)) === near.before)
    return from(near.from)
  const lookedBackTo = known.seen_until - lookBackMilliseconds
  const cameLately = (await countIn(lookedBackTo, undefined)) - known.recent
  return cameLately >= grown ? from(lookedBackTo) : wholeRange(source)
}
