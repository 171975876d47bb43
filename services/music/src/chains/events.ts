import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { NodeRow } from '../store/tables.ts'

/** The published state of a node. */
export type NodeEvent = Pick<NodeRow, 'status' | 'progress' | 'decision' | 'error'> & { nodeId: string }

/** A node, or the whole chain, was deleted: no later event concerns it. */
export type RemovalEvent = { readonly removed: 'node'; readonly nodeId: string } | { readonly removed: 'chain' }

/** The changes of a chain and its nodes, by chain id. Only the latest progress of a node is retained. */
export const chainTopic = topics({
  family: 'music.chains',
  ...jsonCodec<NodeEvent | RemovalEvent>(),
  keep: { events: 1_000, milliseconds: 24 * 3_600_000 },
  coalesceBy: (event) => ('status' in event && event.status === 'generating' ? event.nodeId : undefined),
})

/** Publishes the state of a node to followers of its chain. */
export const publishNode = (bus: Bus, node: NodeRow): Promise<number> => {
  const { id, chain_id, status, progress, decision, error } = node
  return bus.publish(chainTopic(chain_id), { nodeId: id, status, progress, decision, error })
}

/** Notifies followers of a chain that one of its nodes was deleted. */
export const publishNodeRemoved = (bus: Bus, { id, chain_id }: Pick<NodeRow, 'id' | 'chain_id'>): Promise<number> =>
  bus.publish(chainTopic(chain_id), { removed: 'node', nodeId: id })

/** Notifies followers of a chain that it was deleted, which ends their streams. */
export const publishChainRemoved = (bus: Bus, chainId: string): Promise<number> =>
  bus.publish(chainTopic(chainId), { removed: 'chain' })
