import { setInterval } from 'node:timers/promises'
import { resumeAfter } from '@trellis/kit/bus'
import type { Handlers } from '@trellis/kit/rpc'
import type { ChainEvent, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow } from '../store/tables.ts'
import { requireChain } from './access.ts'
import { chainTopic, type MusicEvent } from './events.ts'
import { decisionMessages, statusMessages } from './messages.ts'
import { findChain } from './store.ts'

const eventOf = (chainId: string, event: MusicEvent): ChainEvent['event'] => {
  if ('stemsOf' in event) {
    const { stemsOf: nodeId, status, progress, method, error } = event
    return { $case: 'stemsStatus', value: { nodeId, status, progress, method, error } }
  }
  if ('status' in event) {
    const { nodeId, status, progress, decision, error } = event
    const value = { nodeId, status: statusMessages[status], progress, decision: decisionMessages[decision], error }
    return { $case: 'nodeStatus', value }
  }
  return event.removed === 'node'
    ? { $case: 'nodeRemoved', value: { nodeId: event.nodeId } }
    : { $case: 'chainRemoved', value: { chainId } }
}

const isChainRemoval = (event: MusicEvent): boolean => 'removed' in event && event.removed === 'chain'

/** How often a stream checks that its chain exists: the process that deleted it may have been killed before it published that. */
const checkMilliseconds = 30_000

/** Aborts when the chain no longer exists. The check ends with `signal`. */
const whenGone = ({ db, log }: Dependencies, chain: ChainRow, signal: AbortSignal): AbortSignal => {
  const gone = new AbortController()
  const check = async () => {
    for await (const _ of setInterval(checkMilliseconds, undefined, { signal, ref: false }))
      if (!(await findChain(db, chain.id, chain.user_id))) return gone.abort()
  }
  check().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'music: the existence of a followed chain could not be checked')
  })
  return gone.signal
}

/** Streams the changes of a chain's nodes and their stems, numbered, from where the client left off, until the chain is deleted. */
export const eventsRpc = (
  dependencies: Dependencies,
): Pick<Handlers<typeof MusicServiceDefinition>, 'streamChainEvents'> => ({
  async *streamChainEvents({ chainId, lastEventId }, { caller, signal }) {
    const chain = await requireChain(dependencies, caller, chainId)
    const { bus, db } = dependencies
    const topic = chainTopic(chain.id)
    const position = await resumeAfter(bus, topic, lastEventId)
    // The client's position: also the id of frames without a published event. A reset moves the client to the newest event.
    const start = position ?? (await bus.lastSequence(topic))
    let at = String(start)
    const ending = new AbortController()
    const gone = whenGone(dependencies, chain, AbortSignal.any([signal, ending.signal]))
    const followed = AbortSignal.any([signal, gone, ending.signal])
    const deliveries = bus.subscribe(topic, { after: start, signal: followed })
    const frame = (event: ChainEvent['event']): ChainEvent => ({ eventId: at, event })
    const removed = eventOf(chainId, { removed: 'chain' })
    try {
      // A client that loses the connection before the first event resumes from here.
      yield { eventId: at, event: null }
      // It may have been deleted before the cursor was set.
      if (!(await findChain(db, chain.id, chain.user_id))) return yield frame(removed)
      if (position === null) yield frame({ $case: 'reset', value: {} })
      let resuming = position !== undefined
      for await (const delivery of deliveries) {
        if (delivery.kind === 'event') {
          at = String(delivery.sequence)
          yield frame(eventOf(chainId, delivery.event))
          if (isChainRemoval(delivery.event)) return
        } else if (resuming) yield frame({ $case: 'reset', value: {} })
        else yield frame({ $case: 'gap', value: { missed: delivery.missed } })
        resuming = false
      }
      if (gone.aborted) yield frame(removed)
    } finally {
      ending.abort()
    }
  },
})
