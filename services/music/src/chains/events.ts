import { type Bus, jsonCodec, topics } from '@trellis/kit/bus'
import type { NodeRow, StemsRow } from '../store/tables.ts'

/** The published state of a node. */
export type NodeEvent = Pick<NodeRow, 'status' | 'progress' | 'decision' | 'error'> & { nodeId: string }

/** A node, or the whole chain, was deleted: no later event concerns it. */
export type RemovalEvent = { readonly removed: 'node'; readonly nodeId: string } | { readonly removed: 'chain' }

/** The published state of the stems of a node. */
export type StemsEvent = Pick<StemsRow, 'progress' | 'method' | 'error'> & {
  /** The node. */
  stemsOf: string
  status: StemsRow['status'] | 'none'
}

/** An event of a chain. */
export type MusicEvent = NodeEvent | StemsEvent | RemovalEvent

/** What an event replaces earlier ones of: the progress of a node, or of its stems. */
const subjectOf = (event: MusicEvent): string | undefined => {
  if (!('status' in event) || event.status !== 'generating') return undefined
  return 'stemsOf' in event ? `stems ${event.stemsOf}` : event.nodeId
}

/** The changes of a chain, its nodes and their stems, by chain id. Only the latest progress of each is retained. */
export const chainTopic = topics({
  family: 'music.chains',
  ...jsonCodec<MusicEvent>(),
  keep: { events: 1_000, milliseconds: 24 * 3_600_000 },
  coalesceBy: subjectOf,
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

/** Publishes the state of a node's stems to followers of its chain. */
export const publishStems = (bus: Bus, stems: StemsRow): Promise<number> => {
  const { node_id, chain_id, status, progress, method, error } = stems
  return bus.publish(chainTopic(chain_id), { stemsOf: node_id, status, progress, method, error })
}

/** Notifies followers of a chain that the stems of a node were deleted. */
export const publishStemsRemoved = (
  bus: Bus,
  { node_id, chain_id }: Pick<StemsRow, 'node_id' | 'chain_id'>,
): Promise<number> =>
  bus.publish(chainTopic(chain_id), { stemsOf: node_id, status: 'none', progress: 0, method: null, error: null })
