import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { findChain, nodesOfChains } from './store.ts'

/**
 * The user who will own a new chain: an account, or the user of a local installation. A guest is identified only by a cookie,
 * which anyone can make up, so quotas would not hold for guests. Throws 403.
 */
export const requireOwner = (caller: Caller): string => {
  if (caller.kind === 'anonymous' || caller.kind === 'guest') {
    throw serviceError('forbidden', 'Sign in first: chains and leases belong to accounts.')
  }
  return caller.userId
}

const noChain = (chainId: string) => serviceError('not_found', `There is no chain ${JSON.stringify(chainId)}.`)

export const noNode = (nodeId: string) =>
  serviceError('not_found', `There is no node ${JSON.stringify(nodeId)} in this chain.`)

/** A chain of the caller. Chains of other users are reported as missing. */
export const requireChain = async ({ db }: Dependencies, caller: Caller, chainId: string): Promise<ChainRow> => {
  const chain = await findChain(db, chainId, caller.userId)
  if (!chain) throw noChain(chainId)
  return chain
}

export type ChainTree = {
  readonly chain: ChainRow
  readonly nodes: readonly NodeRow[]
}

/** A chain of the caller, with its nodes. */
export const requireTree = async (dependencies: Dependencies, caller: Caller, chainId: string): Promise<ChainTree> => {
  const chain = await requireChain(dependencies, caller, chainId)
  const nodes = await nodesOfChains(dependencies.db, [chain.id])
  // It was deleted between the two queries: a chain has at least its upload.
  if (nodes.length === 0) throw noChain(chainId)
  return { chain, nodes }
}

/** A node of the caller, with its tree. */
export const requireNode = async (
  dependencies: Dependencies,
  caller: Caller,
  { chainId, nodeId }: { chainId: string; nodeId: string },
): Promise<ChainTree & { node: NodeRow }> => {
  const tree = await requireTree(dependencies, caller, chainId)
  const node = tree.nodes.find((candidate) => candidate.id === nodeId)
  if (!node) throw noNode(nodeId)
  return { ...tree, node }
}

/** Throws 409 for a node without audio. */
export const requireReady = (node: NodeRow): void => {
  if (node.status === 'generating')
    throw serviceError('conflict', 'The node is still being generated: wait until it is ready.')
  if (node.status === 'error')
    throw serviceError('conflict', 'The node could not be generated: retry it, or use another node.')
}
