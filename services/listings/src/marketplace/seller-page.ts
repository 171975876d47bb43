import { compile, selectAll } from 'css-select'
import type { CategoryHistory } from '../records.ts'
import { visibleText } from './card-text.ts'
import { historyFrom } from './categories.ts'
import { type ChildNode, type Element, parseMarkup } from './dom.ts'
import { refusalIn } from './refusal.ts'
import { announcesNothing } from './search-page.ts'

/** A seller's listings by category, counted in the category list beside their results. */
export type SellerPage =
  | {
      readonly kind: 'seller'
      readonly counts: readonly (readonly [name: string, count: number])[]
      readonly history: CategoryHistory | null
    }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Neither a seller's page in a known layout, nor one without listings, nor a refusal. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Hooks of the category list, the most specific first. The last matches any link that restricts to a category. */
const categoryLinks = ['li.x-refine__main__list--value a', '.srp-refine__category__item a', 'a[href*="_sacat="]'].map(
  (selector) => compile<ChildNode, Element>(selector),
)

const countIn = /[(（]\s*(\d[\d.,'’\s]*)[)）]\s*$/

/** The number beside a category, in the link itself or in the list item around it, possibly with thousands separators. */
const countOf = (link: Element): number => {
  const item = link.parent !== null && 'attribs' in link.parent ? visibleText(link.parent) : ''
  const digits = countIn.exec(visibleText(link))?.[1] ?? countIn.exec(item)?.[1]
  return digits === undefined ? 1 : Number(digits.replace(/\D/g, ''))
}

/** Reads the categories that a seller sells in from their page of listings. */
export const readSellerPage = (html: string): SellerPage => {
  const nodes = parseMarkup(html)
  const links =
    categoryLinks.map((query) => selectAll<ChildNode, Element>(query, nodes)).find((found) => found.length > 0) ?? []
  if (links.length === 0) {
    const reason = refusalIn(html)
    if (reason !== undefined) return { kind: 'refused', reason }
    if (!announcesNothing(html))
      return { kind: 'unreadable', reason: "a seller's page shows no categories in a known place" }
  }
  const counts = new Map<string, number>()
  for (const link of links) {
    const name = visibleText(link).replace(countIn, '').trim()
    if (name !== '') counts.set(name, Math.max(counts.get(name) ?? 0, countOf(link)))
  }
  return { kind: 'seller', counts: [...counts], history: historyFrom(counts) }
}
