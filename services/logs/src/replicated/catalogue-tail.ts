import type { Delivery } from '@trellis/kit/bus'
import { createArrivals } from '../tail/arrivals.ts'
import { createLingering } from '../tail/lingering.ts'
import { lingerMilliseconds, type Tail, type TailEvent } from '../tail/tail.ts'
import type { Arrival } from '../threads/log-engine.ts'
import type { ReplicatedEngine } from './engine.ts'

/** One run for ever: a sequence is a version of the catalogue, the same on every replica. */
const run = '00000000-0000-4000-8000-000000000000'

type Versioned = Arrival & { version: number }

const deliveryOf = (event: TailEvent & { version: number }): Delivery<TailEvent> => ({
  kind: 'event',
  sequence: event.version,
  event,
})

/** A tail that can be followed on any replica, and taken up on another where it was left on the first. */
export const createCatalogueTail = (engine: ReplicatedEngine): Tail => {
  // Each replica reads the catalogue for those who follow it: nothing of it goes from one to the other.
  const arrivals = createArrivals<Versioned>()
  const following = createLingering({
    start: () => engine.follow((arrival, version) => arrivals.publish({ ...arrival, version })),
    stop: (stop) => stop(),
    milliseconds: lingerMilliseconds,
  })

  /** What came before this one began to follow is read again; what comes meanwhile waits among the arrivals. */
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
    subscribe: (after, signal) => resume(after, arrivals.subscribe('latest', signal)),
  }
}
