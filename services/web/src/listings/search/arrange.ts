import type { Applied, Result } from './filters.ts'

export const sorts = [
  ['trust', 'Trust'],
  ['price', 'Price, lowest first'],
  ['price-down', 'Price, highest first'],
  ['ending', 'Ending soon'],
  ['found', 'As found'],
] as const satisfies readonly (readonly [Applied['sort'], string])[]

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
const orders: Readonly<Record<Applied['sort'], (a: Result, b: Result) => number>> = {
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
