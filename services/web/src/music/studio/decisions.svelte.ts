import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'
import { action } from '../../api/action.svelte.ts'
import { call } from '../../api/client.ts'
import type { Resource } from '../../api/resource.svelte.ts'
import { toasts } from '../../ui/toasts.svelte.ts'

type Word = 'commit' | 'discard'
type Decision = { before: readonly string[]; node: NodeRest; undo: () => void }

const maxUndone = 50
const pathTo = (chain: string, node: string) => ({ path: { chain_id: chain, node_id: node } })

/** What is committed and discarded on a chain, with the way back. */
export const createDecisions = (chain: Resource<ChainRest>) => {
  let made = $state.raw<readonly Decision[]>([])
  const spine = (): readonly string[] => chain.data?.spine ?? []
  const send = async (what: Word, chainId: string, id: string): Promise<void> =>
    chain.set(await call(`POST /music/api/chains/{chain_id}/nodes/{node_id}/${what}`, pathTo(chainId, id)))

  /** Commits again what was committed before, from the top down; a take that was not is discarded. */
  const takeBack = action(
    async ({ before, node }: Decision) => {
      const { chain_id: chainId, node_id: id } = node
      for (const missing of before.filter((known) => !spine().includes(known))) await send('commit', chainId, missing)
      if (!before.includes(id) && spine().includes(id)) await send('discard', chainId, id)
    },
    { inTurn: true },
  )
  const undo = (decision: Decision | undefined): void => {
    // Undone once, by its toast or by the key.
    if (decision === undefined || !made.includes(decision) || takeBack.isRunning) return
    made = made.filter((other) => other !== decision)
    const toast = toasts.shown.find((shown) => shown.undo === decision.undo)
    if (toast) toasts.dismiss(toast.id)
    void takeBack.run(decision)
  }
  const decide = action(
    async (node: NodeRest, what: Word) => {
      const before = spine()
      await send(what, node.chain_id, node.node_id)
      const text = what === 'commit' ? 'Committed' : 'Discarded'
      // A take that was not committed cannot become undecided again; it can still be committed.
      if (what === 'discard' && !before.includes(node.node_id)) return toasts.show(text)
      const decision: Decision = { before, node, undo: () => undo(decision) }
      made = [...made, decision].slice(-maxUndone)
      toasts.show(text, { undo: decision.undo })
    },
    { inTurn: true },
  )
  const retry = action(
    async ({ chain_id: chainId, node_id: id }: NodeRest) => {
      const changed = await call('POST /music/api/chains/{chain_id}/nodes/{node_id}/retry', pathTo(chainId, id))
      if (chain.data)
        chain.set({ ...chain.data, nodes: chain.data.nodes.map((node) => (node.node_id === id ? changed : node)) })
    },
    { inTurn: true },
  )
  const remove = action(
    async ({ chain_id: chainId, node_id: id }: NodeRest) => {
      await call('DELETE /music/api/chains/{chain_id}/nodes/{node_id}', pathTo(chainId, id))
      await chain.reload()
    },
    { inTurn: true },
  )
  const changes = [decide, takeBack, retry, remove]

  return {
    commit: (node: NodeRest) => void decide.run(node, 'commit'),
    discard: (node: NodeRest) => void decide.run(node, 'discard'),
    retry: (node: NodeRest) => void retry.run(node),
    remove: (node: NodeRest) => void remove.run(node),
    undo: () => undo(made.at(-1)),
    get canUndo() {
      return made.length > 0
    },
    get isRunning() {
      return changes.some(({ isRunning }) => isRunning)
    },
    get failures() {
      return changes.flatMap(({ failure }) => failure ?? [])
    },
  }
}
