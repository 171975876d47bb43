import { selectAll } from 'css-select'
import { getOuterHTML } from 'domutils'
import { type CardFragment, isItemId, linkedItems, listedItemId } from './cut-cards.ts'
import { type ChildNode, type Element, type ParentNode, parseMarkup } from './dom.ts'

/** Minimum number of sibling cards that count as a list of results. */
const fewestCards = 3
/** Maximum page length in characters for this method, which parses the whole page. */
const longestPage = 8_000_000

const isElement = (node: ParentNode | null): node is Element => node !== null && 'attribs' in node

/** An element that shows the id of an item. */
type Mark = { readonly element: Element; readonly id: string }

/** The links to items; on a page without any, the elements that have the id of an item in an attribute. */
const marksIn = (nodes: ChildNode[]): readonly Mark[] => {
  const elements = selectAll<ChildNode, Element>('a[href*="/itm/"], [data-listingid]', nodes)
  const marked = (idOf: (element: Element) => string | undefined) =>
    elements.flatMap((element) => {
      const id = idOf(element)
      return id === undefined ? [] : [{ element, id }]
    })
  const links = marked(({ attribs }) => linkedItems(attribs.href ?? '').find(isItemId))
  return links.length > 0 ? links : marked(({ attribs }) => listedItemId(attribs['data-listingid']))
}

/**
 * Finds cards on a page of unknown markup: a card is the largest element that shows only one item, and the results are
 * where most such elements are siblings. Parses the whole page, so it is the last resort.
 */
export const cutByLinks = (html: string): readonly CardFragment[] => {
  if (html.length > longestPage || linkedItems(html).length === 0) return []
  const marks = marksIn(parseMarkup(html))
  const itemsWithin = new Map<Element, Set<string>>()
  for (const { element, id } of marks) {
    for (let at: ParentNode | null = element; isElement(at); at = at.parent) {
      const ids = itemsWithin.get(at) ?? new Set<string>()
      itemsWithin.set(at, ids.add(id))
    }
  }
  const byParent = new Map<ParentNode | null, Set<Element>>()
  for (const { element } of marks) {
    let card = element
    while (isElement(card.parent) && itemsWithin.get(card.parent)?.size === 1) card = card.parent
    byParent.set(card.parent, (byParent.get(card.parent) ?? new Set()).add(card))
  }
  const max = [...byParent.values()].reduce<ReadonlySet<Element>>(
    (best, next) => (next.size > best.size ? next : best),
    new Set(),
  )
  if (max.size < fewestCards) return []
  const [first] = max
  const siblings = first?.parent?.children ?? []
  let gapBefore = ''
  return siblings.flatMap((node) => {
    if (!isElement(node as ParentNode) || !max.has(node as Element)) {
      gapBefore += getOuterHTML(node)
      return []
    }
    const fragment = { html: getOuterHTML(node), itemId: [...(itemsWithin.get(node as Element) ?? [])][0], gapBefore }
    gapBefore = ''
    return [fragment]
  })
}
