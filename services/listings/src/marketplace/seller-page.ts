import { compile, selectAll } from 'css-select'
import type { CategoryHistory } from '../records.ts'
import { visibleText } from './card-text.ts'
import { categoryKey, historyFrom } from './categories.ts'
import { categoryLeaves, type Leaf } from './category-tree.ts'
import { type ChildNode, type Element, parseMarkup } from './dom.ts'
import { refusalIn } from './refusal.ts'
import { announcedTotal, announcesNothing } from './search-page.ts'

type Counts = readonly (readonly [name: string, count: number])[]

/** A seller's listings by category, counted in the category list beside their results. */
export type SellerPage =
  | {
      readonly kind: 'seller'
      readonly counts: Counts
      readonly history: CategoryHistory | null
    }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Neither a seller's page in a known layout, nor one without listings, nor a refusal. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Hooks of the category list on pages without a tree of categories, the most specific first. The last matches any link that restricts to a category.
 * Links of other filters, such as the platform of a game, have the category in their addresses, too.
 */
const categoryLinks = ['li.x-refine__main__list--value a[href*="_sacat="]', 'a[href*="_sacat="]'].map((selector) =>
  compile<ChildNode, Element>(`${selector}:not([class*="-select-link"])`),
)

const countIn = /[(（]\s*(\d[\d.,'’\s]*)[)）]\s*$/

const shownCount = (text: string): number | undefined => {
  const digits = countIn.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits.replace(/\D/g, ''))
}

const withoutCount = (text: string): string => text.replace(countIn, '').trim()

/** The number beside a category, in the link itself or in the list item around it, possibly with thousands separators. */
const countOf = (link: Element): number => {
  const item = link.parent !== null && 'attribs' in link.parent ? visibleText(link.parent) : ''
  return shownCount(visibleText(link)) ?? shownCount(item) ?? 1
}

/** Categories from the links to them. */
const fromLinks = (links: readonly Element[]): Counts => {
  const counts = new Map<string, number>()
  for (const link of links) {
    const name = withoutCount(visibleText(link))
    if (name !== '') counts.set(name, Math.max(counts.get(name) ?? 0, countOf(link)))
  }
  return [...counts]
}

/**
 * Categories from a tree, under the narrowest name that is counted. A tree rarely shows counts: then each of its categories counts once, unless all are
 * of one kind, and so are all listings that the page announces.
 */
const fromTree = (leaves: readonly Leaf[], html: string): Counts => {
  const counts = leaves.map(([text, ...wider]): Counts[number] => {
    const names = [text, ...wider].map(withoutCount)
    return [names.find((name) => categoryKey(name) !== undefined) ?? names[0] ?? '', shownCount(text) ?? 1]
  })
  const [first] = counts
  const isOneKind = new Set(counts.map(([name]) => categoryKey(name))).size === 1
  const announced = isOneKind ? announcedTotal(html) : null
  const shown = counts.reduce((sum, [, count]) => sum + count, 0)
  return first !== undefined && announced !== null && announced > shown ? [[first[0], announced]] : counts
}

/** Reads the categories that a seller sells in from their page of listings. */
export const readSellerPage = (html: string): SellerPage => {
  const nodes = parseMarkup(html)
  const leaves = categoryLeaves(nodes)
  const links =
    categoryLinks.map((query) => selectAll<ChildNode, Element>(query, nodes)).find((found) => found.length > 0) ?? []
  if (leaves.length === 0 && links.length === 0) {
    const reason = refusalIn(html)
    if (reason !== undefined) return { kind: 'refused', reason }
    if (!announcesNothing(html))
      return { kind: 'unreadable', reason: "a seller's page shows no categories in a known place" }
  }
  const counts = leaves.length > 0 ? fromTree(leaves, html) : fromLinks(links)
  return { kind: 'seller', counts, history: historyFrom(counts) }
}
