import { type ParsedQuery, parseQuery } from '../../query-notation.ts'
import type { DemoItem, Inventory } from './inventory.ts'

const misses = ({ required, excluded }: ParsedQuery, title: string): number => {
  const text = title.toLowerCase()
  if (excluded.some((term) => text.includes(term))) return Number.POSITIVE_INFINITY
  return required.filter((group) => !group.some((term) => text.includes(term))).length
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)

const startsWord = (text: string, term: string): boolean => {
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) if (!isLetter(text[at - 1])) return true
  return false
}

/** How many of the required words only occur inside longer ones, as "iphone" does in "Epiphone". */
const inside = ({ required }: ParsedQuery, title: string): number => {
  const text = title.toLowerCase()
  return required.filter((group) => !group.some((term) => startsWord(text, term))).length
}

/** With fewer exact results than this, results that match fewer words are added. */
const scarce = 5
const maxFewerWords = 60

export type DemoSearch = {
  readonly words: string
  readonly seller: string | undefined
  readonly category: string | undefined
  readonly low: number | undefined
  readonly high: number | undefined
  readonly isOver: boolean
  readonly sort: string | undefined
}

export type DemoResults = { readonly exact: readonly DemoItem[]; readonly fewerWords: readonly DemoItem[] }

const sorts: Readonly<Record<string, (now: Date) => (a: DemoItem, b: DemoItem) => number>> = {
  '15': () => (a, b) => a.price - b.price,
  '16': () => (a, b) => b.price - a.price,
  '1': (now) => (a, b) =>
    (a.endsAt(now)?.getTime() ?? Number.MAX_VALUE) - (b.endsAt(now)?.getTime() ?? Number.MAX_VALUE),
  '13': () => (a, b) => (a.outcome?.daysAgo ?? 0) - (b.outcome?.daysAgo ?? 0),
}

const passes = ({ seller, category, low, high }: DemoSearch, item: DemoItem): boolean =>
  (seller === undefined || item.seller.name === seller) &&
  (category === undefined || item.family.category.id === category) &&
  (low === undefined || item.price >= low) &&
  (high === undefined || item.price <= high)

/** Searches the inventory as a marketplace would: by all words first, in any part of a word but best at its start; with few results, by most of them. */
export const searchInventory = (inventory: Inventory, search: DemoSearch, now: Date): DemoResults => {
  const query = parseQuery(search.words)
  const candidates = (search.isOver ? inventory.over : inventory.active).filter((item) => passes(search, item))
  const ranked = candidates.map((item) => ({ item, missing: misses(query, item.title) }))
  const exact = ranked.filter(({ missing }) => missing === 0).map(({ item }) => item)
  const best = () =>
    exact.map((item) => ({ item, within: inside(query, item.title) })).sort((a, b) => a.within - b.within)
  const order = sorts[search.sort ?? '']?.(now)
  const canRelax = query.required.length > 1 && exact.length < scarce
  const fewer = ranked
    .filter(({ missing }) => missing > 0 && missing < query.required.length)
    .sort((a, b) => a.missing - b.missing)
  const fewerWords = canRelax ? fewer.slice(0, maxFewerWords).map(({ item }) => item) : []
  return { exact: order === undefined ? best().map(({ item }) => item) : exact.sort(order), fewerWords }
}
