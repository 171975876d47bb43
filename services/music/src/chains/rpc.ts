import { invalidField, serviceError } from '@trellis/kit/errors'
import { basePathOf, type Call, type Handlers } from '@trellis/kit/rpc'
import { transact } from '@trellis/kit/store'
import type { Chain, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ChainRow, NodeRow, StemsRow } from '../store/tables.ts'
import { noNode, requireNode, requireTree } from './access.ts'
import { createChain } from './create-chain.ts'
import { publishChainRemoved, publishNodeRemoved } from './events.ts'
import { deleteLeftover, noteLeftovers } from './leftovers.ts'
import { chainMessage } from './messages.ts'
import { publishCurrent } from './publish-current.ts'
import { removeFilesOf } from './remove-files.ts'
import { commitNode, type DecisionOutcome, discardNode, type TreeNode } from './spine.ts'
import {
  type ChainCursor,
  deleteChain,
  deleteNodes,
  listChains,
  nodesOfChains,
  setDecisions,
  stemsOfChains,
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
  if (!createdAt || Number.isNaN(Date.parse(createdAt)) || !id || rest.length > 0)
    throw invalidField(['query', 'cursor'], 'This is not a cursor of this list.')
  return { createdAt, id }
}

/** A chain of the API, with the stems of its nodes. */
const describe = async ({ db }: Dependencies, call: Call, chain: ChainRow, nodes: readonly NodeRow[]): Promise<Chain> =>
  chainMessage(chain, nodes, await stemsOfChains(db, [chain.id]), basePathOf(call))

/** Applies a decision on a node, publishes all nodes that it changes, and returns the chain. */
const decide = async (
  dependencies: Dependencies,
  call: Call,
  { chainId, nodeId }: { chainId: string; nodeId: string },
  rule: (nodes: readonly TreeNode[], id: string) => DecisionOutcome,
): Promise<Chain> => {
  const { db, now } = dependencies
  const { caller } = call
  await requireNode(dependencies, caller, { chainId, nodeId })
  const outcome = await transact(db, async (transaction) => {
    const present = await nodesOfChains(transaction, [chainId])
    if (!present.some(({ id }) => id === nodeId)) throw noNode(nodeId)
    const decided = rule(present, nodeId)
    if (decided.kind === 'changed' && decided.decisions.size > 0) {
      await setDecisions(transaction, decided.decisions)
      await updateChain(transaction, chainId, { updated_at: now().toISOString() })
    }
    return decided
  })
  if (outcome.kind === 'refused') throw serviceError('conflict', outcome.why)
  await publishCurrent(dependencies, chainId, new Set(outcome.decisions.keys()))
  const { chain, nodes } = await requireTree(dependencies, caller, chainId)
  return describe(dependencies, call, chain, nodes)
}

type Removed = {
  readonly nodes: readonly NodeRow[]
  readonly stems: readonly StemsRow[]
  /** The chain, if it was removed with its nodes. */
  readonly chainId?: string
}

/**
 * Stops the generations of removed nodes and removes their files; separations stop when their drivers miss the rows. Records of
 * leftovers remain for nodes with runs, whose files are removed again after the runs have ended.
 */
const clearAway = async (
  dependencies: Dependencies,
  stopGeneration: (node: NodeRow) => Promise<void>,
  removed: Removed,
): Promise<void> => {
  const { nodes, stems, chainId } = removed
  const [generating, separating] = [
    nodes.filter(({ status }) => status === 'generating'),
    stems.filter(({ status }) => status === 'generating'),
  ]
  for (const node of generating) await stopGeneration(node)
  await removeFilesOf(dependencies.files, [...(chainId ? [chainId] : []), ...nodes.map(({ id }) => id)])
  const running = new Set([...generating.map(({ id }) => id), ...separating.map(({ node_id }) => node_id)])
  for (const { id } of nodes) if (!running.has(id)) await deleteLeftover(dependencies.db, id)
}

/** Handlers of chains and decisions on their nodes. */
export const chainRpc = (
  dependencies: Dependencies,
  /** Stops the run of a node, if there is one. */
  stopGeneration: (node: NodeRow) => Promise<void>,
): ChainHandlers => ({
  async createChain(messages, call) {
    const { chain, nodes } = await createChain(dependencies, messages, call)
    return describe(dependencies, call, chain, nodes)
  },

  async listChains({ limit, cursor }, call) {
    const { caller } = call
    const size = limit ?? defaultPage
    const found = await listChains(dependencies.db, caller.userId, size + 1, fromCursor(cursor))
    const page = found.slice(0, size)
    const ids = page.map(({ id }) => id)
    const nodes = await nodesOfChains(dependencies.db, ids)
    const stems = await stemsOfChains(dependencies.db, ids)
    const last = found.length > size ? page.at(-1) : undefined
    return {
      chains: page.map((chain) =>
        chainMessage(
          chain,
          nodes.filter((node) => node.chain_id === chain.id),
          stems,
          basePathOf(call),
        ),
      ),
      nextCursor: last ? toCursor({ createdAt: last.created_at, id: last.id }) : null,
    }
  },

  async getChain({ chainId }, call) {
    const { chain, nodes } = await requireTree(dependencies, call.caller, chainId)
    return describe(dependencies, call, chain, nodes)
  },

  async updateChain({ chainId, name }, call) {
    const { caller } = call
    const { chain } = await requireTree(dependencies, caller, chainId)
    const trimmed = name?.trim()
    if (trimmed === '') throw invalidField(['body', 'name'], 'A chain needs a name.')
    if (trimmed)
      await updateChain(dependencies.db, chain.id, { name: trimmed, updated_at: dependencies.now().toISOString() })
    const changed = await requireTree(dependencies, caller, chainId)
    return describe(dependencies, call, changed.chain, changed.nodes)
  },

  async deleteChain({ chainId }, { caller }) {
    const { chain } = await requireTree(dependencies, caller, chainId)
    const removed = await transact(dependencies.db, async (transaction) => {
      const nodes = await nodesOfChains(transaction, [chain.id])
      const stems = await stemsOfChains(transaction, [chain.id])
      await noteLeftovers(transaction, [chain.id, ...nodes.map(({ id }) => id)], dependencies.now())
      await deleteChain(transaction, chain.id)
      return { nodes, stems }
    })
    await publishChainRemoved(dependencies.bus, chain.id)
    await clearAway(dependencies, stopGeneration, { ...removed, chainId: chain.id })
    return {}
  },

  async deleteNode(request, { caller }) {
    const { node: found } = await requireNode(dependencies, caller, request)
    if (found.parent_id === null)
      throw serviceError('conflict', 'The upload cannot be removed: delete the chain instead.')
    const { node, stems } = await transact(dependencies.db, async (transaction) => {
      const nodes = await nodesOfChains(transaction, [found.chain_id])
      // It may have been removed, or restarted with another run.
      const node = nodes.find(({ id }) => id === found.id)
      if (!node) throw noNode(found.id)
      if (nodes.some(({ parent_id }) => parent_id === node.id)) {
        throw serviceError('conflict', 'Other nodes continue this one: remove those first.')
      }
      const all = await stemsOfChains(transaction, [node.chain_id])
      await noteLeftovers(transaction, [node.id], dependencies.now())
      await deleteNodes(transaction, [node.id])
      await updateChain(transaction, node.chain_id, { updated_at: dependencies.now().toISOString() })
      return { node, stems: all.filter(({ node_id }) => node_id === node.id) }
    })
    await publishNodeRemoved(dependencies.bus, node)
    await clearAway(dependencies, stopGeneration, { nodes: [node], stems })
    return {}
  },

  commitNode: (request, call) => decide(dependencies, call, request, commitNode),

  discardNode: (request, call) => decide(dependencies, call, request, discardNode),
})
