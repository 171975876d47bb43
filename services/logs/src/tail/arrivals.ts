import { createRing, type Delivery, follow } from '@trellis/kit/bus'
import type { Arrival } from '../threads/log-engine.ts'

/** A ring of the newest arrivals, numbered, for followers and for those that reconnect soon. Arrivals are shared within the process and immutable. */
export type Arrivals<Came extends Arrival> = {
  publish: (arrival: Came) => void
  /** The sequence of the newest arrival. */
  newest: () => number
  /** Arrivals after a sequence. The position is taken at the call. */
  subscribe: (after: number | 'latest', signal: AbortSignal) => AsyncIterable<Delivery<Came>>
}

const keep = { events: 2_000, milliseconds: 600_000 }
/** The limit of all retained entries, in bytes. At twenty thousand lines a second that is about eight seconds, at low rates the whole ten minutes. */
const maxBytes = 32 * 1024 * 1024

export const createArrivals = <Came extends Arrival>(now: () => number = Date.now): Arrivals<Came> => {
  const ring = createRing<Came>({
    keep,
    coalesceBy: undefined,
    now,
    trimmedThrough: 0,
    weigh: { of: ({ bytes }) => bytes, max: maxBytes },
  })
  return {
    publish: (arrival) => ring.push(ring.newest() + 1, arrival),
    newest: ring.newest,
    subscribe: (after, signal) => follow(ring, { after, signal }),
  }
}
