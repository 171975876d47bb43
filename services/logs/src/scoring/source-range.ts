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
/**
 * Of a source that never rests ten minutes are as much as all that came in them: where nothing came later than one of these, no more than that
 * is looked at again.
 */
const nearMilliseconds = [2_000, 10_000] as const

/** How many entries a source had before moments near the last that was seen, the nearest first. Where it is not remembered, more is looked at again. */
export type Near = { seenUntil: number; moments: readonly { from: number; before: number }[] }

type CountIn = (since: number | undefined, until: number | undefined) => Promise<number>

export const nearOf = async (lastTime: number, countIn: CountIn): Promise<Near> => ({
  seenUntil: lastTime,
  moments: await Promise.all(
    nearMilliseconds.map(async (milliseconds) => {
      const from = lastTime - milliseconds
      return { from, before: await countIn(undefined, from) }
    }),
  ),
})

/** Whether as much as before lies further back than a range that was chosen by one of the moments; not where it begins before all of them. */
export const isUnchangedBefore = async ({ moments }: Near, { since }: SourceRange, countIn: CountIn) => {
  const chosen = moments.find(({ from }) => from <= since)
  return chosen !== undefined && (await countIn(undefined, chosen.from)) === chosen.before
}

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
  countIn: CountIn
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
  for (const moment of near?.seenUntil === known.seen_until ? near.moments : [])
    if ((await countIn(undefined, moment.from)) === moment.before) return from(moment.from)
  const lookedBackTo = known.seen_until - lookBackMilliseconds
  const cameLately = (await countIn(lookedBackTo, undefined)) - known.recent
  return cameLately >= grown ? from(lookedBackTo) : wholeRange(source)
}
