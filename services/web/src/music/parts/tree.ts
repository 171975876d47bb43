import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'

/** A node in the order of the tree, with its depth and its place among its siblings. */
export type Take = {
  node: NodeRest
  depth: number
  label: string
  /** The label of the take that it continues; empty for the upload. */
  parent: string
  isOnSpine: boolean
  hasChildren: boolean
  index: number
  siblings: number
}

const byCreation = (a: NodeRest, b: NodeRest): number =>
  Number(a.created_at > b.created_at) - Number(a.created_at < b.created_at)

/** How many levels are indented. Takes below them stand under one another, and name the take that they continue. */
export const maxIndented = 8

/** The ids of takes, each at its number: those known before, and then the others in the order in which they were made. */
const numberedWith = (known: readonly string[], { nodes, root_node_id: root }: ChainRest): readonly string[] => {
  const ids = nodes.toSorted(byCreation).map(({ node_id: id }) => id)
  return [...known, ...ids.filter((id) => id !== root && !known.includes(id))]
}

/** Numbers the takes of a chain each time it is passed, so that one that is deleted leaves the others their numbers. Another chain is numbered from 1. */
export const createNumbering = () => {
  let last: { chain: string; numbered: readonly string[] } = { chain: '', numbered: [] }
  return (chain: ChainRest): readonly string[] => {
    const { chain_id: id } = chain
    last = { chain: id, numbered: numberedWith(last.chain === id ? last.numbered : [], chain) }
    return last.numbered
  }
}

/** The takes of a chain, parents before children, in the order in which they were made. */
export const takesOf = (chain: ChainRest, numbered = numberedWith([], chain)): Take[] => {
  const { nodes, spine, root_node_id: root } = chain
  const children = Map.groupBy(nodes.toSorted(byCreation), ({ parent_id: parent }) => parent)
  const numbers = new Map(numbered.map((id, index) => [id, index + 1]))
  const labelOf = (id: string) => (id === root ? 'Upload' : `Take ${numbers.get(id)}`)
  const onSpine = new Set(spine)
  const visit = (node: NodeRest, depth: number, index: number, siblings: number): Take[] => {
    const { node_id: id } = node
    const below = children.get(id) ?? []
    const parent = node.parent_id === null ? '' : labelOf(node.parent_id)
    const names = { label: labelOf(id), parent }
    return [
      { node, depth, ...names, isOnSpine: onSpine.has(id), hasChildren: below.length > 0, index, siblings },
      ...below.flatMap((child, place) => visit(child, depth + 1, place, below.length)),
    ]
  }
  const first = nodes.find(({ node_id: id }) => id === root)
  return first ? visit(first, 0, 0, 1) : []
}

/** The nodes from the root to a node. */
export const pathTo = (nodes: readonly NodeRest[], id: string): NodeRest[] => {
  const node = nodes.find(({ node_id: known }) => known === id)
  if (!node) return []
  return node.parent_id === null ? [node] : [...pathTo(nodes, node.parent_id), node]
}

/** The takes that a take can be compared with: those that are ready, its siblings first, in the order in which they were made. */
const comparableWith = (nodes: readonly NodeRest[], id: string): NodeRest[] => {
  const parent = nodes.find(({ node_id: known }) => known === id)?.parent_id
  return nodes
    .filter(({ node_id: known, kind, status }) => known !== id && kind === 'continuation' && status === 'ready')
    .toSorted((a, b) => Number(b.parent_id === parent) - Number(a.parent_id === parent) || byCreation(a, b))
}

/**
 * The take that one is compared with: the one chosen before, else the last played among its siblings, else its first sibling, else the last one played
 * or made first.
 */
export const partnerOf = (
  nodes: readonly NodeRest[],
  id: string,
  { chosen, played }: { chosen: string; played: readonly string[] },
): string | undefined => {
  const parent = nodes.find(({ node_id: known }) => known === id)?.parent_id
  const others = comparableWith(nodes, id)
  const siblings = others.filter(({ parent_id }) => parent_id === parent).map(({ node_id }) => node_id)
  const all = others.map(({ node_id }) => node_id)
  const lastPlayed = (among: readonly string[]) => played.find((known) => among.includes(known))
  return all.find((known) => known === chosen) ?? lastPlayed(siblings) ?? siblings[0] ?? lastPlayed(all) ?? all[0]
}
