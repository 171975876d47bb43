import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { findChain, nodesOfChains } from './store.ts'

/**
 * The user whom a new chain will belong to: an account, or the user of a local installation. A guest is whom a cookie says, which anyone
 * can make up, so quotas would not hold for guests. Throws 403.
 */
export const requireOwner = (caller: Caller): string => {
  if (caller.kind === 'anonymous' || caller.kind === 'guest') {
    throw serviceError('forbidden', 'Sign in first: a chain belongs to an account.')
  }
  return caller.userId
}

/** A chain of the caller's; another's is as unknown as one that does not exist. */
export const requireChain = async ({ db }: Dependencies, caller: Caller, chainId: string): Promise<ChainRow> => {
  const chain = await findChain(db, chainId, caller.userId)
  if (!chain) throw serviceError('not_found', `There is no chain ${JSON.stringify(chainId)}.`)
  return chain
}

export interface ChainTree {
  readonly chain: ChainRow
  readonly nodes: readonly NodeRow[]
}

/** A chain of the caller's with its nodes. */
export const requireTree = async (dependencies: Dependencies, caller: Caller, chainId: string): Promise<ChainTree> => {
  const chain = await requireChain(dependencies, caller, chainId)
  return { chain, nodes: await nodesOfChains(dependencies.db, [chain.id]) }
}

/** A node of the caller's, with the tree that it belongs to. */
export const requireNode = async (
  dependencies: Dependencies,
  caller: Caller,
  { chainId, nodeId }: { chainId: string; nodeId: string },
): Promise<ChainTree & { node: NodeRow }> => {
  const tree = await requireTree(dependencies, caller, chainId)
  const node = tree.nodes.find((candidate) => candidate.id === nodeId)
  if (!node) throw serviceError('not_found', `There is no node ${JSON.stringify(nodeId)} in this chain.`)
  return { ...tree, node }
}

/** Refuses to work with a node that is not there to be heard yet. */
export const requireReady = (node: NodeRow): void => {
  if (node.status === 'generating')
    throw serviceError('conflict', 'The node is still being generated: wait until it is ready.')
  if (node.status === 'error')
    throw serviceError('conflict', 'The node could not be generated: retry it, or take another.')
}
