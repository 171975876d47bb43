import { webAddress } from '@trellis/kit/egress'
import type { AccountOpening, BuyingFormat, Listing, Sale, Seller } from '../../records.ts'
import type { ApiQuota, SellerFacts } from '../adapter.ts'
import { sellerWithinLimits, withinLimits } from '../listing-limits.ts'

/** Longest stored id of a user, in characters. */
const longestUserId = 100

/** An untrusted JSON value of the API. */
type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown): number | undefined => {
  const read =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(read) ? read : undefined
}

const buyingFormat = (options: readonly unknown[]): BuyingFormat =>
  options.includes('AUCTION') ? 'auction' : options.includes('BEST_OFFER') ? 'best_offer' : 'fixed_price'

/** The current bid of an auction, else the price. A pure auction may have no `price` at all. */
const amountOf = (
  item: Json,
  format: BuyingFormat,
): { readonly price: number | null; readonly currency: string | undefined } => {
  const money = object(format === 'auction' ? (item.currentBidPrice ?? item.price) : item.price)
  return { price: number(money.value) ?? null, currency: text(money.currency) }
}

const photosOf = (item: Json): readonly string[] => {
  const images = [item.image, ...list(item.additionalImages)]
  return [...new Set(images.flatMap((image) => webAddress(text(object(image).imageUrl) ?? '') ?? []))]
}

const day = 86_400_000
const ageInDays = (created: unknown, now: Date): number => {
  const since = now.getTime() - Date.parse(text(created) ?? '')
  return Number.isFinite(since) ? Math.max(0, Math.floor(since / day)) : 0
}

export type SummaryContext = { readonly platform: string; readonly defaultCurrency: string; readonly now: Date }

const readTime = (value: unknown): string | null => {
  const time = Date.parse(text(value) ?? '')
  return Number.isFinite(time) ? new Date(time).toISOString() : null
}

/** Maps an item of a search response to a listing; undefined without an id, a title or a web address. */
export const toListing = (value: unknown, { platform, defaultCurrency, now }: SummaryContext): Listing | undefined => {
  const item = object(value)
  const [id, title, url] = [text(item.itemId), text(item.title), webAddress(text(item.itemWebUrl) ?? '')]
  if (id === undefined || title === undefined || url === undefined) return undefined
  const format = buyingFormat(list(item.buyingOptions))
  const { price, currency } = amountOf(item, format)
  return withinLimits({
    platform,
    platformListingId: id,
    title,
    price,
    priceHigh: null,
    currency: currency ?? defaultCurrency,
    condition: text(item.condition)?.toLowerCase() ?? '',
    sellerPlatformId: text(object(item.seller).username) ?? '',
    url,
    photoUrls: photosOf(item),
    listingAgeDays: ageInDays(item.itemCreationDate, now),
    buyingFormat: format,
    endsAt: format === 'auction' ? readTime(item.itemEndDate) : null,
    bidCount: number(item.bidCount) ?? null,
    categoryName: text(object(list(item.categories)[0]).categoryName) ?? null,
  })
}

/** The seller of an item; undefined without a username. */
export const toSeller = (value: unknown, { platform }: SummaryContext): Seller | undefined => {
  const seller = object(object(value).seller)
  const username = text(seller.username)
  if (username === undefined) return undefined
  const percentage = number(seller.feedbackPercentage)
  return sellerWithinLimits({
    platform,
    platformSellerId: username,
    username,
    accountOpened: null,
    feedbackCount: number(seller.feedbackScore) ?? null,
    feedbackRatio: percentage === undefined ? null : Math.round(percentage * 1000) / 100_000,
    categoryHistory: null,
  })
}

/** Maps a row of the sales insights to a sale; undefined without a positive price in a currency. */
export const toSale = (value: unknown): Sale | undefined => {
  const row = object(value)
  const money = object(row.lastSoldPrice)
  const [price, currency] = [number(money.value), text(money.currency)]
  if (price === undefined || price <= 0 || currency === undefined) return undefined
  return {
    price,
    currency,
    soldOn: readTime(row.lastSoldDate)?.slice(0, 10) ?? null,
    title: text(row.title) ?? null,
    condition: text(row.condition)?.toLowerCase() ?? null,
  }
}

const dayIn = (value: unknown): string | null => readTime(value)?.slice(0, 10) ?? null

/** Facts about the seller of a full item; undefined without a seller. The account's age needs the profile call. */
export const toSellerFacts = (item: Json): SellerFacts | undefined => {
  const seller = object(item.seller)
  const [username, userId] = [text(seller.username), text(seller.userId)]
  if (username === undefined && userId === undefined) return undefined
  const percentage = number(seller.feedbackPercentage)
  const registered = dayIn(seller.registrationDate)
  return {
    sellerNames: [username, userId].flatMap((name) => name ?? []),
    accountOpened: registered === null ? null : { earliest: registered, latest: registered },
    feedbackCount: number(seller.feedbackScore) ?? null,
    feedbackRatio: percentage === undefined ? null : Math.round(percentage * 1000) / 100_000,
    platformUserId: userId?.slice(0, longestUserId) ?? null,
  }
}

/** The day on which an account was opened, from the answer of the profile call; null if it does not show it. */
export const openedIn = (answer: Json): AccountOpening | null => {
  const registered = dayIn(object(answer.User).RegistrationDate)
  return registered === null ? null : { earliest: registered, latest: registered }
}

const secondsOfDay = 86_400

/** The daily quota of the search API: of several limits, the one with the fewest calls left. Null if none is shown. */
export const toQuota = (answer: Json): ApiQuota | null => {
  const rates = list(answer.rateLimits)
    .map(object)
    .filter(({ apiName }) => text(apiName)?.toLowerCase() === 'browse')
    .flatMap(({ resources }) => list(resources).flatMap((resource) => list(object(resource).rates).map(object)))
    .filter(({ timeWindow }) => number(timeWindow) === secondsOfDay)
  const [quota] = rates
    .flatMap(({ limit, remaining, reset }) => {
      const [total, left] = [number(limit), number(remaining)]
      return total === undefined || left === undefined
        ? []
        : [{ limit: total, remaining: left, resetsAt: readTime(reset) }]
    })
    .sort((a, b) => a.remaining - b.remaining)
  return quota ?? null
}

export const itemsIn = (answer: Json, name: 'itemSummaries' | 'itemSales'): readonly unknown[] => list(answer[name])
export const hasNext = (answer: Json): boolean => text(answer.next) !== undefined
