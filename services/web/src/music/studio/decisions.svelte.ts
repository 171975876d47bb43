import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'
import { action } from '../../api/action.svelte.ts'
import { call } from '../../api/client.ts'
import { removal } from '../../api/removal.ts'
import type { Resource } from '../../api/resource.svelte.ts'
import { toasts } from '../../ui/toasts.svelte.ts'

type Word = 'commit' | 'discard'
type Decision = { before: readonly string[]; node: NodeRest; undo: () => void }
/** A change of the chain: to decide, or to undo a decision, the last one if none is named. */
type Step = { press: number; node: NodeRest; what: Word } | { press: number; undone: Decision | undefined }

const maxUndone = 50
const pathTo = (chain: string, node: string) => ({ path: { chain_id: chain, node_id: node } })

/** What is committed and discarded on a chain, with the way back. Each step waits for the one before it, so that none of several quick ones is lost. */
export const createDecisions = (chain: Resource<ChainRest>) => {
  let made = $state.raw<readonly Decision[]>([])
  let presses = 0
  const spine = (): readonly string[] => chain.data?.spine ?? []
  const send = (what: Word, chainId: string, id: string): Promise<void> =>
    chain.change(() => call(`POST /music/api/chains/{chain_id}/nodes/{node_id}/${what}`, pathTo(chainId, id)))

  const isThere = (id: string): boolean => chain.data?.nodes.some(({ node_id: known }) => known === id) ?? false

  /** Commits again what was committed before and was not deleted since, from the top down; a take that was not is discarded. */
  const takeBack = async (decision: Decision | undefined): Promise<void> => {
    // Undone once, by its toast or by the key.
    if (decision === undefined || !made.includes(decision)) return
    const { before, node, undo } = decision
    const { chain_id: chainId, node_id: id } = node
    for (const missing of before.filter((known) => isThere(known) && !spine().includes(known)))
      await send('commit', chainId, missing)
    if (!before.includes(id) && spine().includes(id)) await send('discard', chainId, id)
    made = made.filter((other) => other !== decision)
    const toast = toasts.shown.find((shown) => shown.undo === undo)
    if (toast) toasts.dismiss(toast.id)
  }
  const decide = async (node: NodeRest, what: Word): Promise<void> => {
    const before = spine()
    await send(what, node.chain_id, node.node_id)
    const text = what === 'commit' ? 'Committed' : 'Discarded'
    // A take that was not committed cannot become undecided again; it can still be committed.
    if (what === 'discard' && !before.includes(node.node_id)) return toasts.show(text)
    const decision: Decision = { before, node, undo: () => undo(decision) }
    made = [...made, decision].slice(-maxUndone)
    toasts.show(text, { undo: decision.undo })
  }
  const steps = action(
    async (step: Step) => ('what' in step ? decide(step.node, step.what) : takeBack(step.undone ?? made.at(-1))),
    { inTurn: true },
  )
  const undo = (undone?: Decision): void => {
    presses += 1
    void steps.run({ press: presses, undone })
  }
  const retry = action(
    ({ chain_id: chainId, node_id: id }: NodeRest) =>
      chain.change(async () => {
        const changed = await call('POST /music/api/chains/{chain_id}/nodes/{node_id}/retry', pathTo(chainId, id))
        return (
          chain.data && {
            ...chain.data,
            nodes: chain.data.nodes.map((node) => (node.node_id === id ? changed : node)),
          }
        )
      }),
    { inTurn: true },
  )
  const remove = action(
    async ({ chain_id: chainId, node_id: id }: NodeRest) => {
      await removal(call('DELETE /music/api/chains/{chain_id}/nodes/{node_id}', pathTo(chainId, id)))
      await chain.reload()
    },
    { inTurn: true },
  )
  const changes = [steps, retry, remove]
  /** What is being done with which nodes: their buttons wait, those of others do not. Only the very same, such as a second click, is ignored. */
  let pending = $state.raw<readonly string[]>([])
  const during = async ({ node_id: id }: NodeRest, what: string, work: () => Promise<unknown>): Promise<void> => {
    const name = `${id} ${what}`
    if (pending.includes(name)) return
    pending = [...pending, name]
    await work()
    pending = pending.filter((other) => other !== name)
  }
  const decideOn = (node: NodeRest, what: Word): void => {
    presses += 1
    const press = presses
    void during(node, what, () => steps.run({ press, node, what }))
  }

  return {
    commit: (node: NodeRest) => decideOn(node, 'commit'),
    discard: (node: NodeRest) => decideOn(node, 'discard'),
    retry: (node: NodeRest) => void during(node, 'retry', () => retry.run(node)),
    remove: (node: NodeRest) => void during(node, 'remove', () => remove.run(node)),
    /** Takes back the last decision, or the one that is under way. */
    undo: () => undo(),
    get canUndo() {
      return made.length > 0 || steps.isRunning
    },
    isChanging: (id: string): boolean => pending.some((name) => name.startsWith(`${id} `)),
    get failures() {
      return changes.flatMap(({ failure }) => failure ?? [])
    },
  }
}
