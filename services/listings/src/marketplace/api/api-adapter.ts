import type { FoundListings } from '../../records.ts'
import { withExclusions } from '../../search-terms.ts'
import type { ApiQuota, MarketplaceAdapter, SearchRequest } from '../adapter.ts'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'
import { type ApiCall, apiStatusOf } from './call.ts'
import { hasNext, itemsIn, openedIn, toListing, toQuota, toSale, toSeller, toSellerFacts } from './summaries.ts'
import { createTokenSource, type TokenSource } from './token.ts'

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
  /** URL of the call that shows when an account was opened; undefined if the API has none. */
  readonly profileUrl?: string | undefined
  /** Tokens that several adapters share; by default each fetches its own. */
  readonly tokens?: TokenSource | undefined
  /** Reads the quota, at most once in a while; by default it is not read. */
  readonly quota?: ((read: () => Promise<ApiQuota | null>) => Promise<ApiQuota | null>) | undefined
}

/** Version of the profile call whose answer is read. */
const profileVersion = '1199'
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

/** URL of a full item, by the marketplace's number of it or by the API's longer id. */
const itemUrl = (apiUrl: string, id: string): string =>
  /^\d+$/.test(id)
    ? `${apiUrl}/buy/browse/v1/item/get_item_by_legacy_id?legacy_item_id=${id}`
    : `${apiUrl}/buy/browse/v1/item/${encodeURIComponent(id)}`

const quotaUrl = (apiUrl: string): string =>
  `${apiUrl}/developer/analytics/v1_beta/rate_limit/?api_name=browse&api_context=buy`

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
 * Accesses the marketplace through its official API, which has no categories of sellers, and their join dates only by a call
 * that is configured separately. Completed sales
 * need a permission that few have; without it none are returned, rather than prices of unsold listings.
 */
export const createApiAdapter = (options: ApiAdapterOptions): MarketplaceAdapter => {
  const { call, apiUrl, clientId, clientSecret, marketplaceId, platform, defaultCurrency, now, profileUrl } = options
  const tokens =
    options.tokens ??
    (clientId === undefined || clientSecret === undefined
      ? undefined
      : createTokenSource({ call, apiUrl, clientId, clientSecret, now: () => now().getTime() }))
  let calls = 0

  /** Calls the API with a token; a token that it no longer accepts is replaced once. */
  const authorised = async (address: string, scope: string, signal: AbortSignal, isProfile = false) => {
    if (tokens === undefined) throw marketplaceFailure('unconfigured', 'set MARKETPLACE_APP_ID and MARKETPLACE_CERT_ID')
    const attempt = async () => {
      const token = await tokens.tokenFor(scopeOf(apiUrl, scope), signal)
      calls += 1
      const headers: Record<string, string> = isProfile
        ? { 'x-ebay-api-iaf-token': token }
        : {
            authorization: `Bearer ${token}`,
            ...(marketplaceId === undefined ? {} : { 'x-ebay-c-marketplace-id': marketplaceId }),
          }
      return call(address, { headers, signal })
    }
    try {
      return await attempt()
    } catch (error) {
      if (apiStatusOf(error) !== 401) throw error
      tokens.drop(scopeOf(apiUrl, scope))
      return attempt()
    }
  }

  /** When an account was opened; null if the profile call is not configured or fails, since pages show it, too. */
  const accountOpened = async (userId: string, signal: AbortSignal) => {
    if (profileUrl === undefined) return null
    const url = new URL(profileUrl)
    const query = {
      callname: 'GetUserProfile',
      responseencoding: 'JSON',
      version: profileVersion,
      siteid: '0',
      UserID: userId,
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    try {
      return openedIn(await authorised(url.href, '', signal, true))
    } catch (error) {
      if (!isMarketplaceFailure(error)) throw error
      return null
    }
  }

  const searchPage = async (request: SearchRequest, page: number, signal: AbortSignal) => {
    const answer = await authorised(searchUrl(apiUrl, request, page, defaultCurrency), '', signal)
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
        const answer = await authorised(url.href, '/buy.marketplace.insights', signal)
        return itemsIn(answer, 'itemSales').flatMap((row) => toSale(row) ?? [])
      } catch (error) {
        // Not permitted, or not offered by this API: the market price stays unknown.
        if ([403, 404].includes(apiStatusOf(error) ?? 0)) return []
        throw error
      }
    },
    sellerFacts: async (platformListingId, signal) => {
      const answer = await authorised(itemUrl(apiUrl, platformListingId), '', signal)
      const facts = toSellerFacts(answer)
      const [name] = facts?.sellerNames ?? []
      if (facts === undefined || name === undefined || facts.accountOpened !== null) return facts
      return { ...facts, accountOpened: await accountOpened(name, signal) }
    },
    sellerCategories: async () => null,
    usage: {
      calls: () => calls,
      readQuota: async (signal) =>
        (await options.quota?.(async () => toQuota(await authorised(quotaUrl(apiUrl), '', signal)))) ?? null,
    },
  }
}
