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

/** The sequence to resume after: undefined for a new client, null for an invalid id. */
const sequenceOf = (lastEventId: string | null | undefined): number | undefined | null => {
  if (!lastEventId) return undefined
  const sequence = Number(lastEventId)
  return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : null
}

/** Streams the changes of a chain's nodes, numbered, from where the client left off. */
export const eventsRpc = (
  dependencies: Dependencies,
): Pick<Handlers<typeof MusicServiceDefinition>, 'streamChainEvents'> => ({
  async *streamChainEvents({ chainId, lastEventId }, { caller, signal }) {
    const chain = await requireChain(dependencies, caller, chainId)
    const resumeAfter = sequenceOf(lastEventId)
    const deliveries = dependencies.bus.subscribe(chainTopic(chain.id), { after: resumeAfter ?? 'latest', signal })
    yield { eventId: '', event: null }
    if (resumeAfter === null) yield { eventId: '', event: { $case: 'reset', value: {} } }
    let resuming = resumeAfter !== undefined
    for await (const delivery of deliveries) {
      if (delivery.kind === 'event') yield frameOf(delivery.sequence, delivery.event)
      else if (resuming) yield { eventId: '', event: { $case: 'reset', value: {} } }
      else yield { eventId: '', event: { $case: 'gap', value: { missed: delivery.missed } } }
      resuming = false
    }
  },
})
