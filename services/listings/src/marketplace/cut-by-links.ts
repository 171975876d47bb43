import { is, selectAll } from 'css-select'
import { getOuterHTML } from 'domutils'
import { lines } from './card-text.ts'
import { type CardFragment, isItemId, linkedItems, listedItemId } from './cut-cards.ts'
import { type ChildNode, type Element, type ParentNode, parseMarkup } from './dom.ts'
import { countHeadings } from './layouts.ts'
import { isOnlyMoney } from './money.ts'

/** Minimum number of sibling cards that count as a list of results. */
export const fewestCards = 3
/** Maximum page length in characters for this method, which parses the whole page. */
const longestPage = 8_000_000

const isElement = (node: ParentNode | null): node is Element => node !== null && 'attribs' in node

/** How many elements around a link may be its card, since each is read whole. */
const maxLevels = 16

/** An element that shows the id of an item. */
type Mark = { readonly element: Element; readonly id: string }

const markSelector = 'a[href*="/itm/"], [data-listingid]'

/** The links to items; on a page without any, the elements that have the id of an item in an attribute. */
const marksIn = (nodes: ChildNode[]): readonly Mark[] => marksAmong(selectAll<ChildNode, Element>(markSelector, nodes))

const marksAmong = (elements: readonly Element[]): readonly Mark[] => {
  const marked = (idOf: (element: Element) => string | undefined) =>
    elements.flatMap((element) => {
      const id = idOf(element)
      return id === undefined ? [] : [{ element, id }]
    })
  const links = marked(({ attribs }) => linkedItems(attribs.href ?? '').find(isItemId))
  return links.length > 0 ? links : marked(({ attribs }) => listedItemId(attribs['data-listingid']))
}

const ancestorsOf = (element: Element): readonly Element[] => {
  const found: Element[] = []
  for (let at: ParentNode | null = element; isElement(at); at = at.parent) found.push(at)
  return found
}

/** The smallest element with all marks of an item and a price, unless it shows other items, too, or is around the heading of the results. */
const cardAround = (id: string, marks: readonly Mark[], aroundHeading: ReadonlySet<Element>): Element | undefined => {
  const [first, ...others] = marks.filter((mark) => mark.id === id)
  if (first === undefined) return undefined
  const foreign = new Set(marks.filter((mark) => mark.id !== id).flatMap(({ element }) => ancestorsOf(element)))
  const candidates = ancestorsOf(first.element)
    .slice(0, maxLevels)
    .filter((element) => !foreign.has(element) && !aroundHeading.has(element))
  return candidates.find(
    (candidate) =>
      others.every(({ element }) => ancestorsOf(element).includes(candidate)) &&
      lines([candidate]).some(({ text }) => isOnlyMoney(text, undefined)),
  )
}

/**
 * Finds the cards of a page of unknown markup that announces fewer results than make a list: those of the first items after the heading.
 * Items of advertisements follow in lists of their own, and look the same.
 */
export const cutFew = (html: string, total: number): readonly CardFragment[] => {
  if (html.length > longestPage || linkedItems(html).length === 0) return []
  const found = selectAll<ChildNode, Element>([...countHeadings, markSelector].join(', '), parseMarkup(html))
  const headings = found.findIndex((element) => countHeadings.some((selector) => is(element, selector)))
  const heading = found[headings]
  if (heading === undefined) return []
  const marks = marksAmong(found.slice(headings + 1))
  const ids = [...new Set(marks.map(({ id }) => id))].slice(0, total)
  const aroundHeading = new Set(ancestorsOf(heading))
  return ids.flatMap((itemId) => {
    const card = cardAround(itemId, marks, aroundHeading)
    return card === undefined ? [] : [{ html: getOuterHTML(card), itemId, gapBefore: '' }]
  })
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
