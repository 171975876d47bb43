import type { SourceCount } from '../threads/index-calls.ts'
import type { ScoredSourceRow } from './tables.ts'

/** Entries of a source to be scored, from `since` up to but excluding `until` (epoch milliseconds). */
export type SourceRange = {
  sourceId: string
  /** Findings from here on are new; earlier entries are only read for comparison. */
  since: number
  until: number
  /** Time of the first entry of the source. */
  firstTime: number
}

/** Entries arrive late and out of order, so each round scores the entries of this time before the last one seen again. */
export const lookBackMilliseconds = 10 * 60_000
/**
 * Shorter look-backs for sources that grow constantly: scoring ten minutes of entries again would repeat most of the work. One applies if no entry
 * arrived that is older than it.
 */
const nearMilliseconds = [2_000, 10_000] as const

/** The number of a source's entries before times shortly before the last one seen, the latest time first. Without it, the full look-back applies. */
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

/** Whether no entry arrived that is older than a range chosen by one of the moments. False if the range begins before all moments. */
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

export type RangeInput = {
  source: SourceCount
  known: ScoredSourceRow | undefined
  near: Near | undefined
  /** The number of entries of the source from one time up to but excluding another. */
  countIn: CountIn
}

/**
 * The range of a source to score now: undefined if no entry arrived, its end if all new entries are there, and the whole source if older entries
 * arrived.
 */
export const rangeToScore = async ({ source, known, near, countIn }: RangeInput): Promise<SourceRange | undefined> => {
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
