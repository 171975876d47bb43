import { createHash } from 'node:crypto'
import { findItem } from './changes.ts'
import type { DemoItem, DemoSeller, Inventory } from './inventory.ts'
import { searchInventory } from './query.ts'
import { categoryTree, treeId } from './taxonomy.ts'
import { daysBefore } from './words.ts'

/** A request to the demo's API. */
export type ApiRequest = {
  readonly method: string
  readonly address: URL
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}
export type ApiAnswer = { readonly status: number; readonly body: unknown }

/** State of the server that the API shows. */
export type ApiState = {
  readonly inventory: Inventory
  readonly now: Date
  readonly calls: number
  /** The public key with an id. */
  readonly publicKey: (id: string) => ApiAnswer
}

const tokenSeconds = 7_200
const dailyCalls = 5_000
const maxPage = 200
const lastOffset = 10_000

const failed = (status: number, errorId: number, message: string): ApiAnswer => ({
  status,
  body: { errors: [{ errorId, domain: 'API_DEMO', category: 'REQUEST', message }] },
})

/** A token states its scope and expiry: any instance of the demo accepts it. Nothing here is worth protecting. */
const tokenFor = (scope: string, now: Date): string =>
  Buffer.from(JSON.stringify({ scope, until: now.getTime() + tokenSeconds * 1000 })).toString('base64url')

const readToken = (token: string): { readonly scope: string; readonly until: number } | undefined => {
  try {
    const { scope, until } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, unknown>
    return typeof scope === 'string' && typeof until === 'number' ? { scope, until } : undefined
  } catch {
    return undefined
  }
}

const issueToken = ({ method, headers, body }: ApiRequest, now: Date): ApiAnswer => {
  const [scheme, credentials = ''] = String(headers.authorization ?? '').split(' ')
  const [id, secret] = Buffer.from(credentials, 'base64').toString().split(':')
  if (method !== 'POST') return failed(405, 1, 'Tokens are issued by POST.')
  if (scheme !== 'Basic' || !id || !secret)
    return { status: 401, body: { error: 'invalid_client', error_description: 'client authentication failed' } }
  const form = new URLSearchParams(body)
  if (form.get('grant_type') !== 'client_credentials')
    return { status: 400, body: { error: 'unsupported_grant_type', error_description: 'grant type is not supported' } }
  return {
    status: 200,
    body: {
      access_token: tokenFor(form.get('scope') ?? '', now),
      expires_in: tokenSeconds,
      token_type: 'Application Access Token',
    },
  }
}

const money = (amount: number) => ({ value: amount.toFixed(2), currency: 'USD' })
/** An id that stays when a seller changes their name. */
const userIdOf = ({ name }: DemoSeller): string => createHash('sha256').update(name).digest('base64url').slice(0, 11)

const sellerOf = (seller: DemoSeller) => ({
  username: seller.name,
  feedbackPercentage: (seller.positivePercent ?? 0).toFixed(1),
  feedbackScore: seller.feedbackCount,
  sellerAccountType: seller.isRetailer ? 'BUSINESS' : 'INDIVIDUAL',
})

const optionsOf = (item: DemoItem): readonly string[] => [
  item.bids === undefined ? 'FIXED_PRICE' : 'AUCTION',
  ...(item.takesOffers ? ['BEST_OFFER'] : []),
]

const summaryOf = (item: DemoItem, origin: string, now: Date) => {
  const end = item.endsAt(now)
  const { path, id } = item.family.category
  return {
    itemId: `v1|${item.id}|0`,
    legacyItemId: item.id,
    title: item.title,
    leafCategoryIds: [id],
    categories: path
      .toReversed()
      .map((categoryName, index) => ({ categoryId: index === 0 ? id : `${id}${index}`, categoryName })),
    image: { imageUrl: `${origin}/images/g/${item.photo}/s-l500.png` },
    ...(item.bids === undefined
      ? { price: money(item.price) }
      : { currentBidPrice: money(item.price), bidCount: item.bids }),
    ...(end === undefined ? {} : { itemEndDate: end.toISOString() }),
    buyingOptions: optionsOf(item),
    condition: item.condition,
    seller: sellerOf(item.seller),
    itemWebUrl: `${origin}/itm/${item.id}`,
    itemCreationDate: (item.listedAt ?? daysBefore(now, Number(item.id.slice(-2)) % 60)).toISOString(),
  }
}

const wholeNumber = (text: string | null, otherwise: number): number =>
  text === null ? otherwise : /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN

const limitOf = (text: string | null): number | undefined => {
  const limit = wholeNumber(text, 50)
  return limit >= 1 && limit <= maxPage ? limit : undefined
}

const pricesIn = (filter: string) => {
  const [, low, high] = /price:\[([\d.]*)\.\.([\d.]*)\]/.exec(filter) ?? []
  return { low: low ? Number(low) : undefined, high: high ? Number(high) : undefined }
}

const searchItems = ({ address }: ApiRequest, { inventory, now }: ApiState): ApiAnswer => {
  const { searchParams, origin } = address
  const words = searchParams.get('q') ?? ''
  const category = searchParams.get('category_ids') ?? undefined
  const limit = limitOf(searchParams.get('limit'))
  const offset = wholeNumber(searchParams.get('offset'), 0)
  if (words === '' && category === undefined)
    return failed(400, 12_001, "The call must have a valid 'q' or 'category_ids' query parameter.")
  if (words.includes('*')) return failed(400, 12_023, "The 'q' query parameter may not contain a wildcard.")
  if (limit === undefined) return failed(400, 12_011, "The 'limit' value must be between 1 and 200.")
  if (!(offset >= 0 && offset < lastOffset && offset % limit === 0))
    return failed(400, 12_013, "The 'offset' value must be a multiple of the limit, below 10000.")
  const filter = searchParams.get('filter') ?? ''
  const options = /buyingOptions:\{([A-Z_|]*)\}/.exec(filter)?.[1]?.split('|') ?? ['FIXED_PRICE']
  const search = { words, seller: undefined, category, ...pricesIn(filter), isOver: false, sort: undefined }
  const found = searchInventory(inventory, search, now).exact.filter((item) =>
    optionsOf(item).some((option) => options.includes(option)),
  )
  const next = new URL(address)
  next.searchParams.set('offset', String(offset + limit))
  return {
    status: 200,
    body: {
      href: address.href,
      total: found.length,
      limit,
      offset,
      ...(offset + limit < found.length ? { next: next.href } : {}),
      itemSummaries: found.slice(offset, offset + limit).map((item) => summaryOf(item, origin, now)),
    },
  }
}

const itemOf = (id: string, { address }: ApiRequest, { inventory, now }: ApiState): ApiAnswer => {
  const legacy = /^v\d\|(\d+)\|/.exec(id)?.[1] ?? id
  const item = findItem(inventory, legacy, now)
  if (item === undefined) return failed(404, 11_001, 'The specified item Id was not found.')
  const { seller, ...summary } = summaryOf(item, address.origin, now)
  return { status: 200, body: { ...summary, seller: { ...seller, userId: userIdOf(item.seller) } } }
}

const searchSales = ({ address }: ApiRequest, { inventory, now }: ApiState): ApiAnswer => {
  const words = address.searchParams.get('q') ?? ''
  const limit = limitOf(address.searchParams.get('limit'))
  if (words === '') return failed(400, 12_001, "The call must have a valid 'q' query parameter.")
  if (limit === undefined) return failed(400, 12_011, "The 'limit' value must be between 1 and 200.")
  const search = {
    words,
    seller: undefined,
    category: undefined,
    low: undefined,
    high: undefined,
    isOver: true,
    sort: '13',
  }
  const sold = searchInventory(inventory, search, now).exact.filter(({ outcome }) => outcome?.kind === 'sold')
  return {
    status: 200,
    body: {
      total: sold.length,
      itemSales: sold.slice(0, limit).map((item) => ({
        itemId: `v1|${item.id}|0`,
        title: item.title,
        condition: item.condition,
        lastSoldPrice: money(item.price),
        lastSoldDate: daysBefore(now, item.outcome?.daysAgo ?? 0).toISOString(),
        totalSoldQuantity: 1,
      })),
    },
  }
}

const profileOf = ({ address }: ApiRequest, { inventory }: ApiState): ApiAnswer => {
  const id = address.searchParams.get('UserID')
  const seller = inventory.sellers.find((one) => one.name === id || userIdOf(one) === id)
  if (seller === undefined)
    return { status: 200, body: { Ack: 'Failure', Errors: [{ ShortMessage: 'User not found.', ErrorCode: '10.12' }] } }
  const { year, month } = seller.joined
  const registered = new Date(Date.UTC(year, month - 1, 1 + (seller.feedbackCount % 28)))
  return {
    status: 200,
    body: {
      Ack: 'Success',
      User: { UserID: seller.name, FeedbackScore: seller.feedbackCount, RegistrationDate: registered.toISOString() },
    },
  }
}

const quotaOf = ({ now, calls }: ApiState): ApiAnswer => {
  const midnight = new Date(now.toISOString().slice(0, 10)).getTime() + 86_400_000
  const rate = {
    count: calls,
    limit: dailyCalls,
    remaining: Math.max(0, dailyCalls - calls),
    reset: new Date(midnight).toISOString(),
    timeWindow: 86_400,
  }
  const resources = [{ name: 'buy.browse', rates: [rate] }]
  return { status: 200, body: { rateLimits: [{ apiContext: 'buy', apiName: 'Browse', apiVersion: 'v1', resources }] } }
}

const insightsScope = /buy\.marketplace\.insights$/

/** Checks the token of a call. The profile call has its own header. */
const refusalOf = ({ headers, address }: ApiRequest, now: Date): ApiAnswer | undefined => {
  const bearer = /^Bearer (\S+)$/.exec(String(headers.authorization ?? ''))?.[1]
  const token = readToken(bearer ?? String(headers['x-ebay-api-iaf-token'] ?? ''))
  if (token === undefined || token.until <= now.getTime()) return failed(401, 1001, 'Invalid access token.')
  return address.pathname.includes('/marketplace_insights/') && !insightsScope.test(token.scope)
    ? failed(403, 1100, 'Access denied: insufficient permissions to fulfil the request.')
    : undefined
}

type Respond = (request: ApiRequest, state: ApiState, parameter: string) => ApiAnswer

const routes: readonly (readonly [path: RegExp, respond: Respond])[] = [
  [/^\/buy\/browse\/v1\/item_summary\/search$/, searchItems],
  [
    /^\/buy\/browse\/v1\/item\/get_item_by_legacy_id$/,
    (request, state) => itemOf(request.address.searchParams.get('legacy_item_id') ?? '', request, state),
  ],
  [/^\/buy\/browse\/v1\/item\/([^/]+)$/, (request, state, id) => itemOf(id, request, state)],
  [/^\/buy\/marketplace_insights\/v1_beta\/item_sales\/search$/, searchSales],
  [/^\/shopping$/, profileOf],
  [
    /^\/commerce\/taxonomy\/v1\/get_default_category_tree_id$/,
    () => ({ status: 200, body: { categoryTreeId: treeId, categoryTreeVersion: '1' } }),
  ],
  [new RegExp(`^/commerce/taxonomy/v1/category_tree/${treeId}$`), () => ({ status: 200, body: categoryTree() })],
  [/^\/developer\/analytics\/v1_beta\/rate_limit\/?$/, (_, state) => quotaOf(state)],
  [/^\/commerce\/notification\/v1\/public_key\/([^/]+)$/, (_, state, id) => state.publicKey(id)],
]

/** The path on which tokens are issued: the only one that reads a body. */
export const tokenPath = '/identity/v1/oauth2/token'

/** Whether a path belongs to the demo's API, and whether it counts towards the daily quota. */
export const isApiPath = (pathname: string): boolean =>
  pathname === tokenPath || routes.some(([path]) => path.test(pathname))
export const isCounted = (pathname: string): boolean => pathname.startsWith('/buy/browse/')

/**
 * The demo marketplace's official API: tokens by the client-credentials grant for any credentials, search, items, sales
 * insights, profiles, categories, the quota and the key of notifications, in the shapes of the real one. Pure.
 */
export const answerApi = (request: ApiRequest, state: ApiState): ApiAnswer => {
  const { pathname } = request.address
  if (pathname === tokenPath) return issueToken(request, state.now)
  const refusal = refusalOf(request, state.now)
  if (refusal !== undefined) return refusal
  if (state.calls > dailyCalls) return failed(429, 2001, 'Too many requests. The daily quota is used up.')
  for (const [path, respond] of routes) {
    const match = path.exec(pathname)
    if (match !== null) return respond(request, state, decodeURIComponent(match[1] ?? ''))
  }
  return failed(404, 2002, 'There is no such resource.')
}
