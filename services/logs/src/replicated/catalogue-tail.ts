import type { Delivery } from '@trellis/kit/bus'
import { createArrivals } from '../tail/arrivals.ts'
import { createLingering } from '../tail/lingering.ts'
import { lingerMilliseconds, type Tail, type TailEvent } from '../tail/tail.ts'
import type { Arrival } from '../threads/log-engine.ts'
import type { ReplicatedEngine } from './engine.ts'

/** A constant run id: a sequence is a version of the catalogue, which is the same on every replica. */
const run = '00000000-0000-4000-8000-000000000000'

type Versioned = Arrival & { version: number }

const deliveryOf = (event: TailEvent & { version: number }): Delivery<TailEvent> => ({
  kind: 'event',
  sequence: event.version,
  event,
})

/** A tail that can be followed on any replica and resumed on another one. */
export const createCatalogueTail = (engine: ReplicatedEngine): Tail => {
  // Each replica reads the catalogue for its own followers: replicas send one another no entries.
  const arrivals = createArrivals<Versioned>()
  const following = createLingering({
    start: () => engine.follow((arrival, version) => arrivals.publish({ ...arrival, version })),
    stop: (stop) => stop(),
    milliseconds: lingerMilliseconds,
  })

  /** Replays the arrivals before the subscription; later ones wait in `live`. */
  async function* resume(after: number, live: AsyncIterable<Delivery<Versioned>>): AsyncGenerator<Delivery<TailEvent>> {
    const replay = await engine.replay(after)
    if (!replay.isWhole) yield { kind: 'gap', missed: null }
    for (const arrival of replay.arrivals) yield deliveryOf(arrival)
    for await (const delivery of live) {
      if (delivery.kind === 'gap') yield delivery
      else if (delivery.event.version > replay.version) yield deliveryOf(delivery.event)
    }
  }
  return {
    join: async () => {
      const { leave } = await following.join()
      try {
        return { run, sequence: await engine.version(), leave }
      } catch (error) {
        leave()
        throw error
      }
    },
    // What is replayed is read from the segments, by the catalogue with the deletions.
    isDeleted: () => false,
    subscribe: (after, signal) => resume(after, arrivals.subscribe('latest', signal)),
  }
}
