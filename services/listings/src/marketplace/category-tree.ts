import { visibleText } from './card-text.ts'
import type { ChildNode, Element } from './dom.ts'

/** A category without subcategories in the tree beside the results: its text, then those of the wider ones around it. */
export type Leaf = readonly [text: string, ...wider: readonly string[]]

const itemClass = 'srp-refine__category__item'

const isElement = (node: ChildNode): node is Element => 'attribs' in node

const isItem = ({ attribs }: Element): boolean => attribs.class?.split(/\s+/).includes(itemClass) === true

/** The leaves of an item. Its first element is its link; an item without one opens the rest of a list, or is selected. */
const leavesOf = (item: Element, wider: readonly string[]): readonly Leaf[] => {
  const label = item.children.find((child): child is Element => isElement(child) && child.name !== 'ul')
  const text = label?.name === 'a' ? visibleText(label) : ''
  const below = categoryLeaves(item.children, text === '' ? wider : [text, ...wider])
  return below.length === 0 && text !== '' ? [[text, ...wider]] : below
}

/** The narrowest categories of the tree within the nodes; none on a page without a tree. */
export const categoryLeaves = (nodes: readonly ChildNode[], wider: readonly string[] = []): readonly Leaf[] =>
  nodes.flatMap((node) => {
    if (!isElement(node)) return []
    return isItem(node) ? leavesOf(node, wider) : categoryLeaves(node.children, wider)
  })
