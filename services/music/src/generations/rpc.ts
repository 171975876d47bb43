import { basePathOf, type Handlers } from '@trellis/kit/rpc'
import type { MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { requireNode } from '../chains/access.ts'
import { nodeMessage } from '../chains/messages.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireRestart } from '../quotas/quotas.ts'
import { createBranches } from './branch.ts'
import { type Generations, notRetryable } from './generations.ts'

type GenerationHandlers = Pick<Handlers<typeof MusicServiceDefinition>, 'createBranches' | 'retryNode'>

/** Handlers that start generations. */
export const generationsRpc = (dependencies: Dependencies, generations: Generations): GenerationHandlers => ({
  async createBranches(request, call) {
    const { caller } = call
    const found = await requireNode(dependencies, caller, request)
    const nodes = await createBranches(dependencies, generations, { ...found, caller }, request)
    return { nodes: nodes.map((node) => nodeMessage(node, found.chain, basePathOf(call))) }
  },

  async retryNode(request, call) {
    const { caller } = call
    const { node, ...tree } = await requireNode(dependencies, caller, request)
    const restarted = await generations.retry(tree, node, (transaction) =>
      requireRestart(transaction, caller, dependencies.config),
    )
    // It may have changed since it was read.
    if (!restarted) throw notRetryable((await requireNode(dependencies, caller, request)).node)
    return nodeMessage(restarted, tree.chain, basePathOf(call))
  },
})
