import type { ListingRest, SellerRest, TrustScoreRest } from '@trellis/protos/edge/client.ts'
import { list, number, oneOf, text } from '../../url/codecs.ts'
import type { urlState } from '../../url/state.svelte.ts'

/** What the marketplace is searched for: a change searches again. */
export const queryShape = {
  q: text(),
  min: number(0),
  max: number(0),
  pages: number(1, 999),
  must: text(),
  mode: oneOf(['all', 'any', 'groups'], 'all'),
  not: text(),
  cat: text(),
  via: oneOf(['auto', 'api', 'scraper'], 'auto'),
}

type Sort = 'trust' | 'price' | 'price-down' | 'ending' | 'found'

/** What is applied at once to the results that are there. */
export const appliedShape = {
  trust: number(0, 100),
  cond: text(),
  age: number(0),
  fb: number(0),
  hide: list(),
  sort: oneOf<Sort>(['trust', 'price', 'price-down', 'ending', 'found'], 'trust'),
  view: oneOf(['cards', 'table'], 'cards'),
}

export type Query = {
  q: string
  min: number | null
  max: number | null
  pages: number | null
  must: string
  mode: 'all' | 'any' | 'groups'
  not: string
  cat: string
  via: 'auto' | 'api' | 'scraper'
}
/** A search for its words alone. */
export const noFilters = {
  min: null,
  max: null,
  pages: null,
  must: '',
  mode: 'all',
  not: '',
  cat: '',
  via: 'auto',
} as const satisfies Omit<Query, 'q'>

export type Applied = {
  trust: number | null
  cond: string
  age: number | null
  fb: number | null
  hide: readonly string[]
  sort: Sort
}

/** The query parameters of a search. */
export const parametersOf = ({ q, min, max, pages, must, mode, not, cat, via }: Query) => ({
  q,
  min_price: min ?? undefined,
  max_price: max ?? undefined,
  pages: pages ?? undefined,
  must_include: must || undefined,
  must_include_mode: must === '' ? undefined : mode,
  must_exclude: not || undefined,
  category_id: cat || undefined,
  adapter: via === 'auto' ? undefined : via,
})

/** The parameters of a search besides its text, as a saved search stores them. */
export const filtersJson = (query: Query): string => {
  const { q: _, ...filters } = parametersOf(query)
  return JSON.stringify(Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)))
}

/** The state of the search page in its URL. */
export const searchShape = { ...queryShape, ...appliedShape, s: text(), sel: text(), pick: text() }
export type SearchView = ReturnType<typeof urlState<typeof searchShape>>

/** A listing with all that is known of it. */
export type Result = { listing: ListingRest; score: TrustScoreRest | undefined; seller: SellerRest | undefined }
