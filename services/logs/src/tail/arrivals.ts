import { createRing, type Delivery, follow } from '@trellis/kit/bus'
import { isOfSource } from '../search/filters.ts'
import type { Arrival } from '../threads/log-engine.ts'

/** A ring of the newest arrivals, numbered, for followers and for those that reconnect soon. Arrivals are shared within the process and immutable. */
export type Arrivals<Came extends Arrival> = {
  publish: (arrival: Came) => void
  /** Marks the entries of a source, or of all units of a stem, as deleted in all arrivals so far. */
  deleteSource: (source: string) => void
  /** Drops all arrivals; readers that have not received them get a gap. */
  clear: () => void
  /** Whether the entries of a source in the arrival with this sequence were deleted since. */
  isDeleted: (sourceId: string, sequence: number) => boolean
  /** The sequence of the newest arrival. */
  newest: () => number
  /** Arrivals after a sequence. The position is taken at the call. */
  subscribe: (after: number | 'latest', signal: AbortSignal) => AsyncIterable<Delivery<Came>>
}

const keep = { events: 2_000, milliseconds: 600_000 }
/** The limit of all retained entries, in bytes. At twenty thousand lines a second that is about eight seconds, at low rates the whole ten minutes. */
const maxBytes = 32 * 1024 * 1024

export const createArrivals = <Came extends Arrival>(now: () => number = Date.now): Arrivals<Came> => {
  /** Sources that were deleted from the arrivals up to a sequence, ascending; none once those arrivals have left the ring. */
  let deletions: { source: string; through: number }[] = []
  let droppedThrough = 0
  const ring = createRing<Came>({
    keep,
    coalesceBy: undefined,
    now,
    trimmedThrough: 0,
    maxBytes,
    onDrop: ({ sequence }) => {
      droppedThrough = sequence
      if ((deletions[0]?.through ?? Number.POSITIVE_INFINITY) <= sequence)
        deletions = deletions.filter(({ through }) => through > sequence)
    },
  })
  return {
    publish: (arrival) => ring.push(ring.newest() + 1, arrival, { bytes: arrival.bytes }),
    deleteSource: (source) => {
      deletions = deletions.filter((known) => known.source !== source)
      deletions.push({ source, through: ring.newest() })
    },
    clear: () => {
      while (droppedThrough < ring.newest()) ring.dropOldest()
    },
    isDeleted: (sourceId, sequence) =>
      deletions.some(({ source, through }) => sequence <= through && isOfSource(sourceId, source)),
    newest: ring.newest,
    subscribe: (after, signal) => follow(ring, { after, signal }),
  }
}
