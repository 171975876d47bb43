import type { Decision, NodeRow } from '../store/tables.ts'

/** The columns that decisions depend on. */
export type TreeNode = Pick<NodeRow, 'id' | 'parent_id' | 'status' | 'decision'>

/** Changed decisions, or why none is possible. */
export type DecisionOutcome =
  | { kind: 'changed'; decisions: ReadonlyMap<string, Decision> }
  | { kind: 'refused'; why: string }

const childrenOf = (nodes: readonly TreeNode[], id: string): TreeNode[] => nodes.filter((node) => node.parent_id === id)

/** The committed nodes from the root on. */
export const spineOf = <Node extends TreeNode>(nodes: readonly Node[]): Node[] => {
  const spine: Node[] = []
  let next = nodes.find((node) => node.parent_id === null)
  while (next) {
    spine.push(next)
    const parent = next.id
    next = nodes.find((node) => node.parent_id === parent && node.decision === 'committed')
  }
  return spine
}

/** The nodes from the root to this one. */
export const pathTo = <Node extends TreeNode>(nodes: readonly Node[], id: string): Node[] => {
  const path: Node[] = []
  let at = nodes.find((node) => node.id === id)
  while (at) {
    path.unshift(at)
    const parent: string | null = at.parent_id
    at = parent === null ? undefined : nodes.find((node) => node.id === parent)
  }
  return path
}

/** Removes a node's committed descendants from the spine. */
const undecideBelow = (nodes: readonly TreeNode[], id: string, decisions: Map<string, Decision>): void => {
  for (const child of childrenOf(nodes, id)) {
    if (child.decision !== 'committed') continue
    decisions.set(child.id, 'undecided')
    undecideBelow(nodes, child.id, decisions)
  }
}

/** Puts a node on the spine; a committed sibling and its descendants become undecided. */
export const commitNode = (nodes: readonly TreeNode[], id: string): DecisionOutcome => {
  const node = nodes.find((candidate) => candidate.id === id)
  const decisions = new Map<string, Decision>()
  if (!node || node.decision === 'committed') return { kind: 'changed', decisions }
  if (node.status !== 'ready')
    return { kind: 'refused', why: 'The node is not ready: only a node with audio can be committed.' }
  if (!spineOf(nodes).some((member) => member.id === node.parent_id)) {
    return { kind: 'refused', why: "The node's parent is not on the spine: commit that first." }
  }
  for (const sibling of childrenOf(nodes, node.parent_id ?? '')) {
    if (sibling.decision !== 'committed') continue
    decisions.set(sibling.id, 'undecided')
    undecideBelow(nodes, sibling.id, decisions)
  }
  decisions.set(id, 'committed')
  return { kind: 'changed', decisions }
}

/** Discards a node; it and its descendants leave the spine. */
export const discardNode = (nodes: readonly TreeNode[], id: string): DecisionOutcome => {
  const node = nodes.find((candidate) => candidate.id === id)
  const decisions = new Map<string, Decision>()
  if (node?.parent_id === null)
    return { kind: 'refused', why: 'The upload cannot be discarded: delete the chain instead.' }
  if (!node || node.decision === 'discarded') return { kind: 'changed', decisions }
  if (node.decision === 'committed') undecideBelow(nodes, id, decisions)
  decisions.set(id, 'discarded')
  return { kind: 'changed', decisions }
}
