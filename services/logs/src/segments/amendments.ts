import { isOfSource } from '../search/filters.ts'
import type { Part } from './part.ts'

/**
 * A place counts up with what comes in: embedded the position in the append log, among replicas the version of the catalogue. What was
 * buried at a place is all that came until then; what comes later, even the same again, is new.
 */
export type Burial = { source: string; place: number }

/** A severity that somebody put in place of the one an entry came with. `severity` is a code, 0 for none. */
export type SeverityOverride = {
  /** 32 hex digits: `keyOfEntryId`. */
  key: string
  sourceId: string
  /** The entry's effective time, epoch milliseconds: it says where to look. */
  time: number
  severity: number
  place: number
}

/** What changed after entries were kept, until segments are written anew with it. */
export type Amendments = { burials: readonly Burial[]; overrides: readonly SeverityOverride[] }

export const noAmendments: Amendments = { burials: [], overrides: [] }

/** So many severities may stand beside the segments: they are kept in memory, and looked through by every search. */
export const maxOverrides = 100_000

/** Changes to amendments. What was folded into segments goes, unless it has been changed since. */
export type AmendmentChange = {
  bury?: Burial
  override?: SeverityOverride
  folded?: readonly Pick<SeverityOverride, 'key' | 'place'>[]
  /** Burials of which nothing is left. */
  settled?: readonly Burial[]
}

/** What of the amendments concerns one part. */
export type Concern = {
  /** By stream: whether it was buried. */
  hidden: readonly boolean[]
  overrides: readonly SeverityOverride[]
}

export type AmendmentIndex = {
  /** undefined where nothing concerns a part; `place` is that of its newest entry. */
  concernOf: (part: Part, place: number) => Concern | undefined
  /** Whether a source was buried at a place or after it. */
  isBuried: (sourceId: string, place: number) => boolean
}

/** Finds what concerns a part by what is known of it without reading entries. */
export const indexAmendments = ({ burials, overrides }: Amendments): AmendmentIndex => {
  const bySource = Map.groupBy(overrides, ({ sourceId }) => sourceId)
  const isBuried = (sourceId: string, place: number) =>
    burials.some((burial) => burial.place >= place && isOfSource(sourceId, burial.source))
  return {
    isBuried,
    concernOf: (part, place) => {
      if (burials.length === 0 && overrides.length === 0) return undefined
      const hidden = part.streams.map(({ origin }) => isBuried(origin.sourceId, place))
      const visible = part.streams.filter((_, stream) => hidden[stream] !== true)
      const concerned = visible.flatMap(({ origin, firstTime, lastTime }) =>
        (bySource.get(origin.sourceId) ?? []).filter(({ time }) => time >= firstTime && time <= lastTime),
      )
      if (concerned.length === 0 && !hidden.includes(true)) return undefined
      return { hidden, overrides: [...new Set(concerned)] }
    },
  }
}

/** Amendments with a change made to them. */
export const changed = ({ burials, overrides }: Amendments, change: AmendmentChange): Amendments => {
  const { bury, override, folded = [], settled = [] } = change
  const placeOf = new Map(folded.map(({ key, place }) => [key, place]))
  const isSettled = (burial: Burial) =>
    settled.some(({ source, place }) => source === burial.source && place === burial.place)
  const isGone = ({ key, place, sourceId }: SeverityOverride) =>
    place <= (placeOf.get(key) ?? Number.NEGATIVE_INFINITY) ||
    override?.key === key ||
    (bury !== undefined && isOfSource(sourceId, bury.source))
  return {
    burials: [...burials.filter((burial) => !isSettled(burial)), ...(bury ? [bury] : [])],
    overrides: [...overrides.filter((known) => !isGone(known)), ...(override ? [override] : [])],
  }
}
