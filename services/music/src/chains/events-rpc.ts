import type { Handlers } from '@trellis/kit/rpc'
import type { ChainEvent, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireChain } from './access.ts'
import { chainTopic, type NodeEvent } from './events.ts'
import { decisionMessages, statusMessages } from './messages.ts'

const frameOf = (sequence: number, { nodeId, status, progress, decision, error }: NodeEvent): ChainEvent => ({
  eventId: String(sequence),
  event: {
    $case: 'nodeStatus',
    value: { nodeId, status: statusMessages[status], progress, decision: decisionMessages[decision], error },
  },
})

/** Where a returning client left off; undefined for one that is new, null for an id that was never one of ours. */
const placeOf = (lastEventId: string | null | undefined): number | undefined | null => {
  if (!lastEventId) return undefined
  const sequence = Number(lastEventId)
  return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : null
}

/** The changes of a chain's nodes, numbered, from where the client left off. */
export const eventsRpc = (
  dependencies: Dependencies,
): Pick<Handlers<typeof MusicServiceDefinition>, 'streamChainEvents'> => ({
  async *streamChainEvents({ chainId, lastEventId }, { caller, signal }) {
    const chain = await requireChain(dependencies, caller, chainId)
    const place = placeOf(lastEventId)
    const deliveries = dependencies.bus.subscribe(chainTopic(chain.id), { after: place ?? 'latest', signal })
    yield { eventId: '', event: null }
    if (place === null) yield { eventId: '', event: { $case: 'reset', value: {} } }
    let resuming = place !== undefined
    for await (const delivery of deliveries) {
      if (delivery.kind === 'event') yield frameOf(delivery.sequence, delivery.event)
      else if (resuming) yield { eventId: '', event: { $case: 'reset', value: {} } }
      else yield { eventId: '', event: { $case: 'gap', value: { missed: delivery.missed } } }
      resuming = false
    }
  },
})
