import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'
import { type Resource, resource } from '../../api/resource.svelte.ts'
import { follow, type StreamState } from '../../api/stream.ts'

/** A piece that follows the events of its takes. `onchange` is called when a generation has begun or ended. */
export const followChain = (chainId: () => string, onchange: () => void) => {
  const chain: Resource<ChainRest> = resource('GET /music/api/chains/{chain_id}', () => ({
    path: { chain_id: chainId() },
  }))
  let connection = $state.raw<StreamState | undefined>(undefined)
  const setNode = (id: string, change: Partial<NodeRest>): void => {
    if (!chain.data) return
    const nodes = chain.data.nodes.map((node) => (node.node_id === id ? { ...node, ...change } : node))
    chain.set({ ...chain.data, nodes })
  }
  $effect(() => {
    const stream = follow(
      'GET /music/api/chains/{chain_id}/events',
      { path: { chain_id: chainId() } },
      {
        on: {
          'node-status': ({ node_id: id, status, progress, decision, error }) => {
            const known = chain.data?.nodes.some(({ node_id }) => node_id === id)
            // A node of another tab, and the figures of one that is ready, are read with the whole.
            if (!known || status === 'ready') void chain.refresh()
            else setNode(id, { status, progress, decision, error })
            if (status !== 'generating') onchange()
          },
          'node-removed': () => void chain.refresh(),
          'chain-removed': () => void chain.refresh(),
          gap: () => void chain.refresh(),
          reset: () => void chain.refresh(),
        },
        endsWith: ['chain-removed'],
        onState: (state) => {
          connection = state
          // What changed between the answer and the position where the stream begins is no event of it; and the piece may have been deleted while
          // nothing was received.
          if (state.kind === 'failed' || (state.kind === 'open' && !state.resumed)) void chain.refresh()
        },
      },
    )
    return () => stream.close()
  })
  return {
    chain,
    /** The state of the stream of events. */
    get connection() {
      return connection
    },
  }
}
