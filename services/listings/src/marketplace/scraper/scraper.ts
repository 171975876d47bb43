import type { Listing, Seller } from '../../records.ts'
import type { MarketplaceAdapter, SearchRequest } from '../adapter.ts'
import type { Card } from '../card.ts'
import { marketplaceFailure } from '../failures.ts'
import { readItemPage } from '../item-page.ts'
import { sellerWithinLimits, withinLimits } from '../listing-limits.ts'
import { createFieldCounter, fieldsOfCards, fieldsOfItem, fieldsOfSeller, notUnderstood } from '../page-fields.ts'
import { salesAmong } from '../sales.ts'
import { readSearchPage, type SearchPage } from '../search-page.ts'
import { readSellerPage } from '../seller-page.ts'
import { itemAddress, searchAddress, sellerAddress, soldAddress } from './addresses.ts'
import type { FetchPage } from './fetch-page.ts'

export type ScraperOptions = {
  readonly fetchPage: FetchPage
  readonly baseUrl: string
  /** Value of `platform` in the records. */
  readonly platform: string
  /** Currency when neither sign nor site determines one. */
  readonly defaultCurrency: string
  readonly now: () => Date
}

type Results = Extract<SearchPage, { kind: 'results' }>

/** Maps a card to a listing; undefined if it lacks an id, a title or a link. A price that is struck through is not the one to pay: the card shows none. */
const toListing = (card: Card, platform: string, defaultCurrency: string): Listing | undefined =>
  card.id === null || card.title === null || card.url === null
    ? undefined
    : withinLimits({
        platform,
        platformListingId: card.id,
        title: card.title,
        price: card.price?.isStruck === false ? card.price.amount : null,
        priceHigh: card.price?.isStruck === false ? card.price.high : null,
        currency: card.price?.currency ?? defaultCurrency,
        condition: card.condition ?? '',
        sellerPlatformId: card.seller?.name ?? '',
        url: card.url,
        photoUrls: card.photos,
        listingAgeDays: 0,
        buyingFormat: card.format,
        endsAt: card.endsAt,
        bidCount: card.bids,
        categoryName: null,
      })

const toSeller = ({ seller }: Card, platform: string): Seller | undefined =>
  seller === null
    ? undefined
    : sellerWithinLimits({
        platform,
        platformSellerId: seller.name,
        username: seller.name,
        accountOpened: null,
        feedbackCount: seller.feedbackCount,
        feedbackRatio: seller.feedbackRatio,
        categoryHistory: null,
      })

const uniqueBy = <Row>(rows: readonly Row[], key: (row: Row) => string): readonly Row[] =>
  [...new Map(rows.toReversed().map((row) => [key(row), row])).values()].toReversed()

/** Marketplace adapter that reads the site's pages. */
export const createScraper = ({
  fetchPage,
  baseUrl,
  platform,
  defaultCurrency,
  now,
}: ScraperOptions): MarketplaceAdapter => {
  const context = (pageUrl: string) => ({ pageUrl, observedAt: now(), defaultCurrency })

  const counter = createFieldCounter()

  const results = async (address: string, signal: AbortSignal, kind: 'search' | 'sold'): Promise<Results> => {
    const html = await fetchPage(address, signal)
    if (html === undefined) throw marketplaceFailure('failed', 'it has no page of results at that address')
    const page = readSearchPage(html, context(address))
    if (page.kind === 'refused') throw marketplaceFailure('refused', page.reason)
    if (page.kind === 'drift') {
      counter.add(kind, notUnderstood)
      throw marketplaceFailure('layoutDrift', page.reason)
    }
    counter.add(kind, fieldsOfCards([...page.cards, ...page.fewerWords]))
    return page
  }

  /** Reads further pages while each is full of new matches; none follow the divider or a page that only repeats cards. */
  const searchPages = async (
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<{ readonly cards: readonly Card[]; readonly usableShare: number }> => {
    const cards: Card[] = []
    let usableShare = 1
    const seen = new Set<string>()
    for (let page = 1; page <= request.pages; page++) {
      const {
        cards: found,
        fewerWords,
        total,
        completeness,
      } = await results(searchAddress(baseUrl, request, page), signal, 'search')
      usableShare = Math.min(usableShare, completeness.usable)
      const fresh = found.filter(({ id }) => id === null || !seen.has(id))
      for (const { id } of fresh) if (id !== null) seen.add(id)
      cards.push(...fresh)
      if (fresh.length === 0 || fewerWords.length > 0 || (total !== null && seen.size >= total)) break
    }
    return { cards, usableShare }
  }

  return {
    name: 'scraper',
    fields: counter.counts,
    search: async (request, signal) => {
      const { cards, usableShare } = await searchPages(request, signal)
      const listings = cards.flatMap((card) => toListing(card, platform, defaultCurrency) ?? [])
      const sellers = cards.flatMap((card) => toSeller(card, platform) ?? [])
      return {
        listings: uniqueBy(listings, ({ platformListingId }) => platformListingId),
        sellers: uniqueBy(sellers, ({ platformSellerId }) => platformSellerId),
        usableShare,
      }
    },
    completedSales: async (query, signal) =>
      salesAmong((await results(soldAddress(baseUrl, query), signal, 'sold')).cards),
    sellerFacts: async (platformListingId, signal) => {
      const address = itemAddress(baseUrl, platformListingId)
      const html = await fetchPage(address, signal)
      if (html === undefined) return undefined
      const page = readItemPage(html, context(address))
      if (page.kind === 'refused') throw marketplaceFailure('refused', page.reason)
      counter.add('item', fieldsOfItem(page))
      if (page.kind === 'unreadable') throw marketplaceFailure('notUnderstood', page.reason)
      return {
        sellerNames: page.sellerNames,
        accountOpened: page.joined,
        feedbackCount: page.seller?.feedbackCount ?? null,
        feedbackRatio: page.seller?.feedbackRatio ?? null,
      }
    },
    sellerCategories: async (platformSellerId, signal) => {
      const html = await fetchPage(sellerAddress(baseUrl, platformSellerId), signal)
      if (html === undefined) return null
      const page = readSellerPage(html)
      if (page.kind === 'refused') throw marketplaceFailure('refused', page.reason)
      counter.add('seller', fieldsOfSeller(page))
      if (page.kind === 'unreadable') throw marketplaceFailure('notUnderstood', page.reason)
      return page.history
    },
  }
}
