import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Caller, Handlers } from '@trellis/kit/rpc'
import { transact } from '@trellis/kit/store'
import type { Chain, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { Dependencies } from '../dependencies.ts'
import type { NodeRow } from '../store/tables.ts'
import { requireNode, requireTree } from './access.ts'
import { createChain } from './create-chain.ts'
import { publishChainRemoved, publishNode, publishNodeRemoved } from './events.ts'
import { deleteLeftover, noteLeftovers } from './leftovers.ts'
import { chainMessage } from './messages.ts'
import { removeFilesOf } from './remove-files.ts'
import { commitNode, type DecisionOutcome, discardNode, type TreeNode } from './spine.ts'
import {
  type ChainCursor,
  deleteChain,
  deleteNodes,
  listChains,
  nodesOfChains,
  setDecisions,
  updateChain,
} from './store.ts'

type ChainHandlers = Pick<
  Handlers<typeof MusicServiceDefinition>,
  | 'createChain'
  | 'listChains'
  | 'getChain'
  | 'updateChain'
  | 'deleteChain'
  | 'deleteNode'
  | 'commitNode'
  | 'discardNode'
>

const defaultPage = 20

const toCursor = ({ createdAt, id }: ChainCursor): string => Buffer.from(`${createdAt} ${id}`).toString('base64url')

const fromCursor = (cursor: string | null | undefined): ChainCursor | undefined => {
  if (!cursor) return undefined
  const [createdAt, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!createdAt || !id || rest.length > 0)
    throw invalidField(['query', 'cursor'], 'This is not a cursor of this list.')
  return { createdAt, id }
}

/** Applies a decision on a node, publishes all nodes that it changes, and returns the chain. */
const decide = async (
  dependencies: Dependencies,
  { caller, chainId, nodeId }: { caller: Caller; chainId: string; nodeId: string },
  rule: (nodes: readonly TreeNode[], id: string) => DecisionOutcome,
): Promise<Chain> => {
  const { db, bus, now } = dependencies
  await requireNode(dependencies, caller, { chainId, nodeId })
  const outcome = await transact(db, async (transaction) => {
    const decided = rule(await nodesOfChains(transaction, [chainId]), nodeId)
    if (decided.kind === 'changed' && decided.decisions.size > 0) {
      await setDecisions(transaction, decided.decisions)
      await updateChain(transaction, chainId, { updated_at: now().toISOString() })
    }
    return decided
  })
  if (outcome.kind === 'refused') throw serviceError('conflict', outcome.why)
  const { chain, nodes } = await requireTree(dependencies, caller, chainId)
  for (const node of nodes) if (outcome.decisions.has(node.id)) await publishNode(bus, node)
  return chainMessage(chain, nodes)
}

/** Deletes the records of nodes without a run, since their files are removed. Those of other nodes are removed again after their runs. */
const deleteSettledLeftovers = async ({ db }: Dependencies, nodes: readonly NodeRow[]): Promise<void> => {
  for (const { id } of nodes) await deleteLeftover(db, id)
}

/** Handlers of chains and decisions on their nodes. */
export const chainRpc = (
  dependencies: Dependencies,
  /** Stops the run of a node, if there is one. */
  stopGeneration: (node: NodeRow) => Promise<void>,
): ChainHandlers => ({
  async createChain(messages, { caller, signal }) {
    const { chain, nodes } = await createChain(dependencies, messages, { caller, signal })
    return chainMessage(chain, nodes)
  },

  async listChains({ limit, cursor }, { caller }) {
    const size = limit ?? defaultPage
    const found = await listChains(dependencies.db, caller.userId, size + 1, fromCursor(cursor))
    const page = found.slice(0, size)
    const nodes = await nodesOfChains(
      dependencies.db,
      page.map(({ id }) => id),
    )
    const last = found.length > size ? page.at(-1) : undefined
    return {
      chains: page.map((chain) =>
        chainMessage(
          chain,
          nodes.filter((node) => node.chain_id === chain.id),
        ),
      ),
      nextCursor: last ? toCursor({ createdAt: last.created_at, id: last.id }) : null,
    }
  },

  async getChain({ chainId }, { caller }) {
    const { chain, nodes } = await requireTree(dependencies, caller, chainId)
    return chainMessage(chain, nodes)
  },

  async updateChain({ chainId, name }, { caller }) {
    const { chain } = await requireTree(dependencies, caller, chainId)
    const trimmed = name?.trim()
    if (trimmed === '') throw invalidField(['body', 'name'], 'A chain needs a name.')
    if (trimmed)
      await updateChain(dependencies.db, chain.id, { name: trimmed, updated_at: dependencies.now().toISOString() })
    const changed = await requireTree(dependencies, caller, chainId)
    return chainMessage(changed.chain, changed.nodes)
  },

  async deleteChain({ chainId }, { caller }) {
    const { chain } = await requireTree(dependencies, caller, chainId)
    const nodes = await transact(dependencies.db, async (transaction) => {
      const removed = await nodesOfChains(transaction, [chain.id])
      await noteLeftovers(transaction, [chain.id, ...removed.map(({ id }) => id)], dependencies.now())
      await deleteChain(transaction, chain.id)
      return removed
    })
    await publishChainRemoved(dependencies.bus, chain.id)
    const [generating, settled] = [
      nodes.filter(({ status }) => status === 'generating'),
      nodes.filter(({ status }) => status !== 'generating'),
    ]
    for (const node of generating) await stopGeneration(node)
    await removeFilesOf(dependencies.files, [chain.id, ...nodes.map(({ id }) => id)])
    await deleteSettledLeftovers(dependencies, settled)
    return {}
  },

  async deleteNode(request, { caller }) {
    const { node } = await requireNode(dependencies, caller, request)
    if (node.parent_id === null)
      throw serviceError('conflict', 'The upload cannot be removed: delete the chain instead.')
    await transact(dependencies.db, async (transaction) => {
      const nodes = await nodesOfChains(transaction, [node.chain_id])
      if (nodes.some(({ parent_id }) => parent_id === node.id)) {
        throw serviceError('conflict', 'Other nodes continue this one: remove those first.')
      }
      await noteLeftovers(transaction, [node.id], dependencies.now())
      await deleteNodes(transaction, [node.id])
    })
    await publishNodeRemoved(dependencies.bus, node)
    await stopGeneration(node)
    await removeFilesOf(dependencies.files, [node.id])
    if (node.status !== 'generating') await deleteSettledLeftovers(dependencies, [node])
    return {}
  },

  commitNode: ({ chainId, nodeId }, { caller }) => decide(dependencies, { caller, chainId, nodeId }, commitNode),

  discardNode: ({ chainId, nodeId }, { caller }) => decide(dependencies, { caller, chainId, nodeId }, discardNode),
})
