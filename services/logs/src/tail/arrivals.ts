import { createRing, type Delivery, follow } from '@trellis/kit/bus'
import type { StoredEntry } from '../entries/entry.ts'

/** Entries that came in together; `missed` more came with them than are told of. */
export type Arrival = { entries: StoredEntry[]; missed: number }

/** The last of what came in, numbered, for those who follow and those who come back soon. Within this process, and shared: nobody changes it. */
export type Arrivals<Came extends Arrival> = {
  publish: (arrival: Came) => void
  /** The number of the last one. */
  newest: () => number
  /** What comes after a number; its place is taken at the call. */
  subscribe: (after: number | 'latest', signal: AbortSignal) => AsyncIterable<Delivery<Came>>
}

const keep = { events: 2_000, milliseconds: 600_000 }
/** Of all that is kept. At twenty thousand lines a second it is a few seconds, in quiet times the whole ten minutes. */
const mostBytes = 48 * 1024 * 1024
/** What an entry takes beside its text: its other members, and what it looks like when it is written for a follower. */
const entryBytes = 1_024

const bytesOf = ({ entries }: Arrival): number =>
  entries.reduce((sum, { text }) => sum + entryBytes + 2 * text.length, 0)

export const createArrivals = <Came extends Arrival>(now: () => number = Date.now): Arrivals<Came> => {
  const ring = createRing<Came>({
    keep,
    coalesceBy: undefined,
    now,
    goneThrough: 0,
    weigh: { of: bytesOf, most: mostBytes },
  })
  return {
    publish: (arrival) => ring.push(ring.newest() + 1, arrival),
    newest: ring.newest,
    subscribe: (after, signal) => follow(ring, { after, signal }),
  }
}
