import { isOfSource } from '../search/filters.ts'
import type { Part } from './part.ts'

/**
 * A deleted source. A position increases with arrivals: in a single process it is the position in the append log, among replicas the version of the
 * catalogue. A tombstone hides all entries that arrived up to its position; later ones, even the same again, are new.
 */
export type Tombstone = { source: string; position: number }

/** A severity that replaces the one of the entry. `severity` is a code, 0 for none. */
export type SeverityOverride = {
  /** 32 hex digits: `keyOfEntryId`. */
  key: string
  sourceId: string
  /** The entry's effective time, epoch milliseconds, which narrows the search for it. */
  time: number
  severity: number
  position: number
}

/** Changes of stored entries that are not folded into their segments yet. */
export type Amendments = { tombstones: readonly Tombstone[]; overrides: readonly SeverityOverride[] }

export const noAmendments: Amendments = { tombstones: [], overrides: [] }

/** Maximum number of overrides beside the segments: they are held in memory, and every search goes through them. */
export const maxOverrides = 100_000

/** A change to amendments. Overrides that were folded into segments are deleted unless they have changed since. */
export type AmendmentChange = {
  tombstone?: Tombstone
  override?: SeverityOverride
  folded?: readonly Pick<SeverityOverride, 'key' | 'position'>[]
  /** Tombstones that no longer hide anything. */
  settled?: readonly Tombstone[]
}

/** The amendments that concern one part. */
export type Concern = {
  /** For each stream, whether its source was deleted. */
  hidden: readonly boolean[]
  overrides: readonly SeverityOverride[]
}

export type AmendmentIndex = {
  /** undefined where nothing concerns a part; `position` is the position of its newest entry. */
  concernOf: (part: Part, position: number) => Concern | undefined
  /** Whether a source was deleted at a position or after it. */
  isDeleted: (sourceId: string, position: number) => boolean
}

/** Finds the amendments of a part from its summaries, without reading entries. */
export const indexAmendments = ({ tombstones, overrides }: Amendments): AmendmentIndex => {
  const bySource = Map.groupBy(overrides, ({ sourceId }) => sourceId)
  const isDeleted = (sourceId: string, position: number) =>
    tombstones.some((tombstone) => tombstone.position >= position && isOfSource(sourceId, tombstone.source))
  return {
    isDeleted,
    concernOf: (part, position) => {
      if (tombstones.length === 0 && overrides.length === 0) return undefined
      const hidden = part.streams.map(({ origin }) => isDeleted(origin.sourceId, position))
      const visible = part.streams.filter((_, stream) => hidden[stream] !== true)
      const concerned = visible.flatMap(({ origin, firstTime, lastTime }) =>
        (bySource.get(origin.sourceId) ?? []).filter(({ time }) => time >= firstTime && time <= lastTime),
      )
      if (concerned.length === 0 && !hidden.includes(true)) return undefined
      return { hidden, overrides: [...new Set(concerned)] }
    },
  }
}

/** Applies a change to amendments. */
export const changed = ({ tombstones, overrides }: Amendments, change: AmendmentChange): Amendments => {
  const { tombstone, override, folded = [], settled = [] } = change
  const positionOf = new Map(folded.map(({ key, position }) => [key, position]))
  const isSettled = (known: Tombstone) =>
    settled.some(({ source, position }) => source === known.source && position === known.position)
  const isGone = ({ key, position, sourceId }: SeverityOverride) =>
    position <= (positionOf.get(key) ?? Number.NEGATIVE_INFINITY) ||
    override?.key === key ||
    (tombstone !== undefined && isOfSource(sourceId, tombstone.source))
  return {
    tombstones: [...tombstones.filter((known) => !isSettled(known)), ...(tombstone ? [tombstone] : [])],
    overrides: [...overrides.filter((known) => !isGone(known)), ...(override ? [override] : [])],
  }
}
