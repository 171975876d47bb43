import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { NodeRow } from '../store/tables.ts'

/** What is told of a node when it changes. */
export type NodeEvent = Pick<NodeRow, 'status' | 'progress' | 'decision' | 'error'> & { nodeId: string }

/** The changes of one chain's nodes, by its id. Progress is only of interest while it is the latest. */
export const chainTopic = topics({
  family: 'music.chains',
  ...jsonCodec<NodeEvent>(),
  keep: { events: 1_000, milliseconds: 24 * 3_600_000 },
  coalesceBy: ({ nodeId, status }) => (status === 'generating' ? nodeId : undefined),
})

/** Tells whoever follows the chain how a node now stands. */
export const publishNode = (bus: Bus, node: NodeRow): Promise<number> => {
  const { id, chain_id, status, progress, decision, error } = node
  return bus.publish(chainTopic(chain_id), { nodeId: id, status, progress, decision, error })
}
