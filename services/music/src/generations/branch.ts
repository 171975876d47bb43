import { randomInt } from 'node:crypto'
import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { transact } from '@trellis/kit/store'
import type { CreateBranchesRequest } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { storedLayout } from '../audio/stored-audio.ts'
import { type ChainTree, requireReady } from '../chains/access.ts'
import { publishNode, publishNodeRemoved } from '../chains/events.ts'
import { newId } from '../chains/ids.ts'
import { noteLeftovers } from '../chains/leftovers.ts'
import { pathTo } from '../chains/spine.ts'
import { deleteNodes, insertNodes, nodesOfChains, updateChain } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireBytes, requireGenerations } from '../quotas/quotas.ts'
import type { NodeRow } from '../store/tables.ts'
import type { Generations } from './generations.ts'
import { contextFor, generatorFor, requireLength } from './generator-for.ts'

const defaultSeconds = 10
/** The largest possible seed, and the range of random seeds, which is the widest that Node offers. */
const largestSeed = Number.MAX_SAFE_INTEGER
const chanceSeeds = 2 ** 48 - 1

/** Whether the whole context is silent: the silent ends of the pieces extend over all of it. */
const isSilent = (path: readonly NodeRow[], sampleRate: number, contextSeconds: number | null): boolean => {
  let silent = 0
  for (const node of path.toReversed()) {
    const seconds = node.frames / sampleRate
    silent += node.silent_tail_seconds
    if (contextSeconds !== null && silent >= contextSeconds) return true
    if (node.silent_tail_seconds < seconds - 1 / sampleRate) return false
  }
  return true
}

const seedsOf = (request: CreateBranchesRequest, takes: number): number[] => {
  const first = request.seed ?? randomInt(chanceSeeds)
  if (first > largestSeed - (takes - 1)) {
    throw invalidField(['body', 'seed'], `The last take's seed would be past ${largestSeed}.`)
  }
  return Array.from({ length: takes }, (_, take) => first + take)
}

const requireCapacity = (nodes: readonly NodeRow[], takes: number, max: number): void => {
  if (nodes.length + takes > max) {
    throw serviceError('conflict', `A chain has at most ${max} nodes: delete some first.`)
  }
}

const newNode = (
  parent: NodeRow,
  request: CreateBranchesRequest,
  facts: Pick<NodeRow, 'seed' | 'frames' | 'generator' | 'context_seconds' | 'created_at'>,
): NodeRow => {
  const id = newId()
  return {
    id,
    chain_id: parent.chain_id,
    parent_id: parent.id,
    kind: 'continuation',
    status: 'generating',
    decision: 'undecided',
    prompt: request.prompt,
    progress: 0,
    error: null,
    run_id: `generate-${id}-1`,
    attempt: 1,
    started_at: null,
    input_key: null,
    distance_percentile: null,
    loudness_step_lu: null,
    beat_error_ms: null,
    bpm: null,
    musical_key: null,
    loudness_lufs: null,
    loudness_range_lu: null,
    silent_tail_seconds: 0,
    prompt_honored: '[]',
    ready_at: null,
    ...facts,
  }
}

/** Deletes nodes that could not be started, and cancels the runs of those that were; the sweep removes files that arrive later. */
const rollBack = async (
  { db, bus, now }: Dependencies,
  generations: Generations,
  made: readonly NodeRow[],
): Promise<void> => {
  const ids = made.map(({ id }) => id)
  await transact(db, async (transaction) => {
    await noteLeftovers(transaction, ids, now())
    await deleteNodes(transaction, ids)
  })
  await Promise.allSettled(made.flatMap((node) => [publishNodeRemoved(bus, node), generations.stop(node)]))
}

/** Adds takes of a continuation to a node and starts them. The checks are repeated in the transaction, since requests may be concurrent. */
export const createBranches = async (
  dependencies: Dependencies,
  generations: Generations,
  { chain, nodes, node: parent, caller }: ChainTree & { node: NodeRow; caller: Caller },
  request: CreateBranchesRequest,
): Promise<NodeRow[]> => {
  const { db, bus, config, installedModel, now } = dependencies
  requireReady(parent)
  const takes = request.takes ?? 1
  requireCapacity(nodes, takes, config.maxNodes)
  const model = await installedModel.status()
  const generator = generatorFor(request.generator, { mockGenerator: config.mockGenerator, model })
  const context_seconds = contextFor(generator, request.contextSeconds ?? null, model)
  const seconds = request.durationSeconds ?? defaultSeconds
  requireLength(generator, seconds, model)
  const path = pathTo(nodes, parent.id)
  if (isSilent(path, chain.sample_rate, context_seconds)) {
    throw invalidField(['path', 'node_id'], 'The context is silent: there is nothing to continue from.')
  }
  const frames = Math.round(seconds * chain.sample_rate)
  const created_at = now().toISOString()
  const made = seedsOf(request, takes).map((seed) =>
    newNode(parent, request, { seed, frames, generator, context_seconds, created_at }),
  )
  await transact(db, async (transaction) => {
    const present = await nodesOfChains(transaction, [chain.id])
    requireCapacity(present, takes, config.maxNodes)
    if (!present.some(({ id }) => id === parent.id)) throw serviceError('not_found', 'The node has just been removed.')
    await requireGenerations(transaction, caller.userId, config, takes)
    await requireBytes(transaction, caller, config, takes * frames * chain.channels * storedLayout.bytes)
    await insertNodes(transaction, made)
    await updateChain(transaction, chain.id, { updated_at: created_at })
  })
  for (const node of made) await publishNode(bus, node)
  try {
    for (const node of made) await generations.start({ chain, nodes: [...nodes, ...made] }, node)
  } catch (error) {
    await rollBack(dependencies, generations, made)
    throw error
  }
  return made
}
