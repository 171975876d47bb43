import { createRing, type Delivery, follow } from '@trellis/kit/bus'
import type { Arrival } from '../threads/log-engine.ts'

/** The last of what came in, numbered, for those who follow and those who come back soon. Within this process, and shared: nobody changes it. */
export type Arrivals<Came extends Arrival> = {
  publish: (arrival: Came) => void
  /** The number of the last one. */
  newest: () => number
  /** What comes after a number; its place is taken at the call. */
  subscribe: (after: number | 'latest', signal: AbortSignal) => AsyncIterable<Delivery<Came>>
}

const keep = { events: 2_000, milliseconds: 600_000 }
/** Of all that is kept. At twenty thousand lines a second it is some eight seconds, in quiet times the whole ten minutes. */
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
