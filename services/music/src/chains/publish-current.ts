import type { Dependencies } from '../dependencies.ts'
import type { NodeRow } from '../store/tables.ts'
import { publishNode } from './events.ts'
import { nodesOfChains } from './store.ts'

/** What followers must not be left with an old version of; a newer progress follows anyway. */
const stateOf = ({ status, decision, error }: NodeRow): string => JSON.stringify([status, decision, error])

/**
 * Publishes changed nodes of a chain as they are now. A concurrent change may be written after they are read and published before they are, so they
 * are read again: the last event of a node has its last state, whichever of the publishers is the slower.
 */
export const publishCurrent = async (
  { db, bus }: Pick<Dependencies, 'db' | 'bus'>,
  chainId: string,
  nodeIds: ReadonlySet<string>,
): Promise<void> => {
  const published = new Map<string, string>()
  const isStale = (node: NodeRow) => nodeIds.has(node.id) && published.get(node.id) !== stateOf(node)
  const findStale = async () => (await nodesOfChains(db, [chainId])).filter(isStale)
  for (let stale = await findStale(); stale.length > 0; stale = await findStale()) {
    for (const node of stale) {
      await publishNode(bus, node)
      published.set(node.id, stateOf(node))
    }
  }
}
