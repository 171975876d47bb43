import type { ListingRest, SellerRest, TrustScoreRest } from '@trellis/protos/edge/client.ts'
import { list, number, oneOf, text } from '../../url/codecs.ts'

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

export const sorts = [
  ['trust', 'Trust'],
  ['price', 'Price, lowest first'],
  ['price-down', 'Price, highest first'],
  ['ending', 'Ending soon'],
  ['found', 'As found'],
] as const
type Sort = (typeof sorts)[number][0]

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

/** A listing with all that is known of it. */
export type Result = { listing: ListingRest; score: TrustScoreRest | undefined; seller: SellerRest | undefined }

/** The lowest that the score can become: what sorts and filters by trust go by. */
const trustOf = ({ score }: Result): number => (score ? (score.score_range?.low ?? score.composite_score) : -1)

/** Why a result is hidden; undefined if it is shown. Unknown values are not filtered: only what is known to be too little is. */
export const hiddenBy = (result: Result, applied: Applied): string | undefined => {
  const { listing, score, seller } = result
  const flags = [...(score?.hard_filters ?? []), ...(score?.soft_flags ?? [])]
  const highest = score ? (score.score_range?.high ?? score.composite_score) : 0
  if (applied.trust !== null && highest < applied.trust) return 'trust'
  if (applied.cond !== '' && listing.condition !== applied.cond) return 'condition'
  if (applied.age !== null && seller?.account_age_days != null && seller.account_age_days < applied.age)
    return 'seller age'
  if (applied.fb !== null && seller?.feedback_count != null && seller.feedback_count < applied.fb) return 'feedback'
  return applied.hide.find((flag) => flags.includes(flag))
}

/** Prices in one currency can be compared: without rates, those in others come after them. */
const inOther =
  (currency: string) =>
  ({ listing }: Result): number =>
    Number(currency !== '' && listing.currency !== currency)

const nothing = Number.POSITIVE_INFINITY
const orders: Readonly<Record<Sort, (a: Result, b: Result) => number>> = {
  trust: (a, b) => trustOf(b) - trustOf(a),
  price: (a, b) => (a.listing.price ?? nothing) - (b.listing.price ?? nothing),
  'price-down': (a, b) => (b.listing.price ?? -1) - (a.listing.price ?? -1),
  ending: (a, b) => Date.parse(a.listing.ends_at ?? '9999-01-01') - Date.parse(b.listing.ends_at ?? '9999-01-01'),
  found: () => 0,
}

/** The ids of the results that are shown, in their order, and how many each filter hides. By price, those in the user's own currency come first. */
export const arrange = (
  results: readonly Result[],
  applied: Applied,
  ownCurrency = '',
): { ids: string[]; hidden: ReadonlyMap<string, number> } => {
  const hidden = new Map<string, number>()
  const shown = results.filter((result) => {
    const reason = hiddenBy(result, applied)
    if (reason !== undefined) hidden.set(reason, (hidden.get(reason) ?? 0) + 1)
    return reason === undefined
  })
  const rank = applied.sort.startsWith('price') ? inOther(ownCurrency) : () => 0
  const order = (a: Result, b: Result) => rank(a) - rank(b) || orders[applied.sort](a, b)
  return { ids: shown.toSorted(order).map(({ listing }) => listing.platform_listing_id), hidden }
}
