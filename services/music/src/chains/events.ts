import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { NodeRow } from '../store/tables.ts'

/** The published state of a node. */
export type NodeEvent = Pick<NodeRow, 'status' | 'progress' | 'decision' | 'error'> & { nodeId: string }

/** The changes of a chain's nodes, by chain id. Only the latest progress of a node is retained. */
export const chainTopic = topics({
  family: 'music.chains',
  ...jsonCodec<NodeEvent>(),
  keep: { events: 1_000, milliseconds: 24 * 3_600_000 },
  coalesceBy: ({ nodeId, status }) => (status === 'generating' ? nodeId : undefined),
})

/** Publishes the state of a node to followers of its chain. */
export const publishNode = (bus: Bus, node: NodeRow): Promise<number> => {
  const { id, chain_id, status, progress, decision, error } = node
  return bus.publish(chainTopic(chain_id), { nodeId: id, status, progress, decision, error })
}
