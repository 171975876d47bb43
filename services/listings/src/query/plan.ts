import { invalidField } from '@trellis/kit/errors'
import type { Tier } from '@trellis/kit/rpc'
import {
  type SearchRequest as ApiRequest,
  MustIncludeMode as Mode,
} from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { chooseAdapter } from '../choose-adapter.ts'
import type { ListingsConfig } from '../config.ts'
import type { SearchRequest } from '../marketplace/adapter.ts'
import { siteCurrency } from '../marketplace/sites.ts'
import type { Listing } from '../records.ts'
import { type MustIncludeMode, readTerms, type SearchTerms } from '../search-terms.ts'
import { clampPages } from '../session/features.ts'

/** A planned search: the requests to the marketplace, and how their results are filtered. */
export type SearchPlan = {
  readonly adapter: 'api' | 'scraper'
  readonly terms: SearchTerms
  readonly requests: readonly SearchRequest[]
  /** Whether a listing that the marketplace returned matches the query: it also shows some that do not, such as advertisements. */
  readonly accepts: (listing: Pick<Listing, 'title' | 'price' | 'priceHigh' | 'currency'>) => boolean
}

const modeOf = (mode: Mode): MustIncludeMode => (mode === Mode.ANY ? 'any' : mode === Mode.GROUPS ? 'groups' : 'all')

/** A price limit; 0 or less is no limit. */
export const priceLimit = (price: number | null | undefined): number | undefined =>
  price !== null && price !== undefined && price > 0 ? price : undefined

/** Parses the terms of a search. Throws 422 for too many groups. */
export const termsOf = ({ q, mustInclude, mustIncludeMode, mustExclude }: ApiRequest): SearchTerms =>
  readTerms({ q, mustInclude, mustIncludeMode: modeOf(mustIncludeMode), mustExclude })

type PriceLimits = { readonly minPrice: number | undefined; readonly maxPrice: number | undefined }

/**
 * Whether a price, or a part of a range of prices, is within the limits. They are in the currency of the site: a price that is unknown, or shown in
 * another currency, or one end of a range, is for the marketplace to judge.
 */
const isWithin = (
  { price, priceHigh, currency }: Pick<Listing, 'price' | 'priceHigh' | 'currency'>,
  { minPrice = 0, maxPrice = Number.POSITIVE_INFINITY }: PriceLimits,
  limitCurrency: string,
): boolean =>
  price === null ||
  priceHigh === price ||
  currency !== limitCurrency ||
  (price <= maxPrice && (priceHigh ?? price) >= minPrice)

/** Throws 422 for a text that databases cannot store, before a search is queued. */
const checkTexts = ({ q, mustInclude, mustExclude, categoryId }: ApiRequest): void => {
  const texts = { q, must_include: mustInclude, must_exclude: mustExclude, category_id: categoryId }
  for (const [name, text] of Object.entries(texts))
    if (text.includes('\0')) throw invalidField(['query', name], 'must not contain the character U+0000')
}

/** Plans a search from its parameters; undefined for a blank query, which finds nothing. Throws 422 and 503. */
export const planSearch = (request: ApiRequest, tier: Tier, config: ListingsConfig): SearchPlan | undefined => {
  const adapter = chooseAdapter(request.adapter, config)
  checkTexts(request)
  const terms = termsOf(request)
  if (request.q.trim() === '') return undefined
  const restrictions = {
    mustExclude: terms.mustExclude,
    minPrice: priceLimit(request.minPrice),
    maxPrice: priceLimit(request.maxPrice),
    categoryId: request.categoryId === '' ? undefined : request.categoryId,
    pages: clampPages(request.pages, tier),
  }
  const limitCurrency = siteCurrency(config.baseUrl) ?? config.currency
  return {
    adapter,
    terms,
    requests: terms.queries.map((query) => ({ query, ...restrictions })),
    accepts: (listing) => terms.matches(listing.title) && isWithin(listing, restrictions, limitCurrency),
  }
}
