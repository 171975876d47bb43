import type { FoundListings } from '../../records.ts'
import { withExclusions } from '../../search-terms.ts'
import type { MarketplaceAdapter, SearchRequest } from '../adapter.ts'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { ApiCall } from './call.ts'
import { hasNext, itemsIn, toListing, toSale, toSeller } from './summaries.ts'
import { createTokenSource } from './token.ts'

export type ApiAdapterOptions = {
  readonly call: ApiCall
  /** Base URL of the API, without a trailing slash. */
  readonly apiUrl: string
  /** Both are required; without them every call throws `unconfigured`. */
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** Which of the marketplace's sites to search, as its API names it; undefined means the API's default. */
  readonly marketplaceId: string | undefined
  readonly platform: string
  readonly defaultCurrency: string
  readonly now: () => Date
}

const pageSize = 200
/** Offset of the last page: the API returns no more than 10,000 items of one search. */
const lastOffset = 9_800
const salesPageSize = 50
/** Scopes are named by URLs on the origin of the API. */
const scopeOf = (apiUrl: string, name: string): string => `${new URL(apiUrl).origin}/oauth/api_scope${name}`

const filterOf = ({ minPrice, maxPrice }: SearchRequest, currency: string): string => {
  const price =
    minPrice === undefined && maxPrice === undefined
      ? []
      : [`price:[${minPrice ?? ''}..${maxPrice ?? ''}]`, `priceCurrency:${currency}`]
  // Without this filter the API leaves auctions out.
  return ['buyingOptions:{FIXED_PRICE|AUCTION|BEST_OFFER}', ...price].join(',')
}

const searchUrl = (apiUrl: string, request: SearchRequest, page: number, currency: string): string => {
  const url = new URL(`${apiUrl}/buy/browse/v1/item_summary/search`)
  // The API rejects wildcards in a query.
  url.searchParams.set('q', withExclusions(request.query, request.mustExclude).replaceAll('*', ' '))
  url.searchParams.set('limit', String(pageSize))
  url.searchParams.set('offset', String(page * pageSize))
  url.searchParams.set('filter', filterOf(request, currency))
  if (request.categoryId !== undefined) url.searchParams.set('category_ids', request.categoryId)
  return url.href
}

const merged = (pages: readonly FoundListings[]): FoundListings => ({
  listings: [
    ...new Map(
      pages.flatMap(({ listings }) => listings.map((listing) => [listing.platformListingId, listing] as const)),
    ).values(),
  ],
  sellers: [
    ...new Map(
      pages.flatMap(({ sellers }) => sellers.map((seller) => [seller.platformSellerId, seller] as const)),
    ).values(),
  ],
  usableShare: null,
})

/**
 * Accesses the marketplace through its official API, which has no join dates and no categories of sellers. Completed sales
 * need a permission that few have; without it none are returned, rather than prices of unsold listings.
 */
export const createApiAdapter = (options: ApiAdapterOptions): MarketplaceAdapter => {
  const { call, apiUrl, clientId, clientSecret, marketplaceId, platform, defaultCurrency, now } = options
  const tokens =
    clientId === undefined || clientSecret === undefined
      ? undefined
      : createTokenSource({ call, apiUrl, clientId, clientSecret, now: () => now().getTime() })

  const authorised = async (scope: string, signal: AbortSignal): Promise<Record<string, string>> => {
    if (tokens === undefined) throw marketplaceFailure('unconfigured', 'set MARKETPLACE_APP_ID and MARKETPLACE_CERT_ID')
    const token = await tokens(scopeOf(apiUrl, scope), signal)
    return {
      authorization: `Bearer ${token}`,
      ...(marketplaceId === undefined ? {} : { 'x-ebay-c-marketplace-id': marketplaceId }),
    }
  }

  const searchPage = async (request: SearchRequest, page: number, signal: AbortSignal) => {
    const headers = await authorised('', signal)
    const answer = await call(searchUrl(apiUrl, request, page, defaultCurrency), { headers, signal })
    const context = { platform, defaultCurrency, now: now() }
    const items = itemsIn(answer, 'itemSummaries')
    return {
      listings: items.flatMap((item) => toListing(item, context) ?? []),
      sellers: items.flatMap((item) => toSeller(item, context) ?? []),
      usableShare: null,
      isLast: items.length === 0 || !hasNext(answer),
    }
  }

  return {
    name: 'api',
    search: async (request, signal) => {
      const pages: FoundListings[] = []
      for (let page = 0; page < request.pages && page * pageSize <= lastOffset; page++) {
        const { isLast, ...found } = await searchPage(request, page, signal)
        pages.push(found)
        if (isLast) break
      }
      return merged(pages)
    },
    completedSales: async (query, signal) => {
      const url = new URL(`${apiUrl}/buy/marketplace_insights/v1_beta/item_sales/search`)
      url.searchParams.set('q', query)
      url.searchParams.set('limit', String(salesPageSize))
      try {
        const answer = await call(url.href, { headers: await authorised('/buy.marketplace.insights', signal), signal })
        return itemsIn(answer, 'itemSales').flatMap((row) => toSale(row) ?? [])
      } catch (error) {
        // Not permitted, or not offered by this API: the market price stays unknown.
        if (isMarketplaceFailure(error, 'refused')) return []
        throw error
      }
    },
    sellerFacts: async () => undefined,
    sellerCategories: async () => null,
  }
}
