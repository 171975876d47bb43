import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { sharedData } from '@trellis/test/support/shared-data'
import { afterEach, describe, expect, test } from 'vitest'
import { createApiAdapter } from './api-adapter.ts'
import { createApiCall } from './call.ts'
import { toListing, toSale, toSeller } from './summaries.ts'

const signal = new AbortController().signal
const now = new Date('2026-06-15T12:00:00Z')
const context = { platform: 'marketplace', defaultCurrency: 'USD', now }
const request = {
  query: 'camera',
  mustExclude: ['for parts'],
  minPrice: 10,
  maxPrice: undefined,
  categoryId: '31388',
  pages: 5,
}

const item = (id: string, change: object = {}) => ({
  itemId: `v1|${id}|0`,
  title: 'Camera body',
  price: { value: '189.99', currency: 'USD' },
  condition: 'Used',
  buyingOptions: ['FIXED_PRICE'],
  itemWebUrl: `https://site.test/itm/${id}?hash=1`,
  image: { imageUrl: 'https://images.test/a.jpg' },
  additionalImages: [{ imageUrl: 'https://images.test/b.jpg' }, { imageUrl: 'https://images.test/a.jpg' }],
  categories: [{ categoryName: 'Digital Cameras' }, { categoryName: 'Cameras' }],
  seller: { username: 'ada', feedbackPercentage: '99.9', feedbackScore: 31327 },
  itemCreationDate: '2026-06-01T12:00:00.000Z',
  ...change,
})

type Answer = { status?: number; body: unknown }
const close: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of close.splice(0)) await stop()
})

/** Serves a fake API that issues tokens and otherwise responds with `answer`. */
const serve = async (answer: (address: URL, incoming: IncomingMessage) => Answer) => {
  const seen: { path: string; authorization: string | undefined }[] = []
  const server = createServer((incoming, response) => {
    const address = new URL(incoming.url ?? '/', 'http://api.test')
    seen.push({ path: address.pathname, authorization: incoming.headers.authorization })
    const { status = 200, body } = address.pathname.endsWith('/token')
      ? { body: { access_token: `t${seen.length}`, expires_in: 7200 } }
      : answer(address, incoming)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = createApiAdapter({
    call: createApiCall({ userAgent: 'Tester/1.0' }),
    apiUrl,
    clientId: 'id',
    clientSecret: 'secret',
    marketplaceId: undefined,
    platform: 'marketplace',
    defaultCurrency: 'USD',
    now: () => now,
  })
  return { adapter, seen }
}

describe('records', () => {
  test('numbers that the API gets wrong become ones that can be stored, or none', () => {
    const bid = { buyingOptions: ['AUCTION'], bidCount: 1e12, price: { value: '-5', currency: 'USD' } }
    expect(toListing(item('1', bid), context)).toMatchObject({ bidCount: 2 ** 31 - 1, price: null })
    const seller = (change: object) => toSeller(item('1', { seller: { username: 'ada', ...change } }), context)
    expect(seller({ feedbackScore: 12.5, feedbackPercentage: '150' })).toMatchObject({
      feedbackCount: 12,
      feedbackRatio: null,
    })
    expect(seller({ feedbackScore: -3 })?.feedbackCount).toBe(0)
    expect(seller({ username: 'x'.repeat(201) })).toBeUndefined()
    expect(toListing(item('1', { seller: { username: 'x'.repeat(201) } }), context)?.sellerPlatformId).toBe('')
  })

  test('characters that no database stores are replaced', async () => {
    const { adapter } = await serve(() => ({
      body: { itemSummaries: [item('1', { title: 'A\0B \ud800', seller: { username: 'a\0b' } })] },
    }))
    const { listings, sellers } = await adapter.search(request, signal)
    expect(listings.map(({ title, sellerPlatformId }) => [title, sellerPlatformId])).toEqual([
      ['A\ufffdB \ufffd', 'a\ufffdb'],
    ])
    expect(sellers.map(({ username }) => username)).toEqual(['a\ufffdb'])
  })

  test('a listing has texts of limited length and only web addresses', () => {
    const pictures = ['javascript:alert(1)', 'file:///etc/passwd', 'data:image/png;base64,AA', 'https://images.test/a']
    const listing = toListing(
      item('1', {
        title: `${'x'.repeat(299)}😀${'y'.repeat(1_000_000)}`,
        condition: 'used '.repeat(1_000),
        image: { imageUrl: pictures[0] },
        additionalImages: pictures.slice(1).map((imageUrl) => ({ imageUrl })),
      }),
      context,
    )
    expect(listing?.title).toBe('x'.repeat(299))
    expect(listing?.condition).toHaveLength(100)
    expect(listing?.photoUrls).toEqual(['https://images.test/a'])
    for (const itemWebUrl of ['javascript:alert(1)', 'not an address', `https://site.test/${'x'.repeat(2_000)}`])
      expect(toListing(item('1', { itemWebUrl }), context)).toBeUndefined()
  })

  test('an item is mapped to a listing and a seller', () => {
    expect(toListing(item('110000000001'), context)).toEqual({
      platform: 'marketplace',
      platformListingId: 'v1|110000000001|0',
      title: 'Camera body',
      price: 189.99,
      priceHigh: null,
      currency: 'USD',
      condition: 'used',
      sellerPlatformId: 'ada',
      url: 'https://site.test/itm/110000000001?hash=1',
      photoUrls: ['https://images.test/a.jpg', 'https://images.test/b.jpg'],
      listingAgeDays: 14,
      buyingFormat: 'fixed_price',
      endsAt: null,
      bidCount: null,
      categoryName: 'Digital Cameras',
    })
    expect(toSeller(item('1'), context)).toMatchObject({
      platformSellerId: 'ada',
      feedbackCount: 31327,
      feedbackRatio: 0.999,
      accountOpened: null,
    })
  })

  test('a pure auction is priced at its current bid', () => {
    const auction = item('1', {
      price: undefined,
      currentBidPrice: { value: '42.00', currency: 'GBP' },
      bidCount: 7,
      buyingOptions: ['AUCTION'],
      itemEndDate: '2026-06-16T10:00:00.000Z',
    })
    expect(toListing(auction, context)).toMatchObject({
      price: 42,
      currency: 'GBP',
      buyingFormat: 'auction',
      bidCount: 7,
      endsAt: '2026-06-16T10:00:00.000Z',
    })
  })

  test('missing values are unknown, and an item without an id or a sale without a price is left out', () => {
    expect(
      toListing(
        item('1', { price: undefined, seller: undefined, image: undefined, additionalImages: undefined }),
        context,
      ),
    ).toMatchObject({ price: null, sellerPlatformId: '', photoUrls: [] })
    expect(
      toSeller(item('1', { seller: { username: 'new', feedbackPercentage: '0.0', feedbackScore: 0 } }), context),
    ).toMatchObject({ feedbackCount: 0, feedbackRatio: 0 })
    expect(toListing({ title: 'no id' }, context)).toBeUndefined()
    expect(toSale({ lastSoldPrice: { value: '0', currency: 'USD' } })).toBeUndefined()
  })

  const sample = sharedData('marketplace', 'browse-api-100-best-match.json.gz')
  test.skipIf(sample === undefined)(
    'every item of a real response of 100 is mapped in full (needs the shared marketplace data)',
    () => {
      const { itemSummaries } = JSON.parse(gunzipSync(readFileSync(sample ?? '')).toString()) as {
        itemSummaries: unknown[]
      }
      const listings = itemSummaries.map((one) => toListing(one, context))
      const sellers = itemSummaries.map((one) => toSeller(one, context))
      expect(listings).toHaveLength(100)
      expect(
        listings.every(
          (one) =>
            one &&
            one.price !== null &&
            one.title &&
            one.url &&
            one.photoUrls.length > 0 &&
            one.condition &&
            one.sellerPlatformId &&
            one.categoryName &&
            one.listingAgeDays > 0,
        ),
      ).toBe(true)
      expect(sellers.every((one) => one && one.feedbackCount !== null && one.feedbackRatio !== null)).toBe(true)
      expect(listings.filter((one) => one?.buyingFormat === 'best_offer')).toHaveLength(1)
    },
  )
})

describe('search', () => {
  test('a search uses one token, sends the restrictions, and stops when no next page is named', async () => {
    const queries: URLSearchParams[] = []
    const { adapter, seen } = await serve((address) => {
      queries.push(address.searchParams)
      const offset = Number(address.searchParams.get('offset'))
      return {
        body: { itemSummaries: [item(String(offset + 1)), item('7')], ...(offset === 0 ? { next: 'more' } : {}) },
      }
    })
    const { listings, sellers } = await adapter.search(request, signal)
    expect(listings.map(({ platformListingId }) => platformListingId)).toEqual(['v1|1|0', 'v1|7|0', 'v1|201|0'])
    expect(sellers).toHaveLength(1)
    expect(Object.fromEntries(queries[0] ?? [])).toMatchObject({
      q: 'camera -"for parts"',
      category_ids: '31388',
      filter: 'buyingOptions:{FIXED_PRICE|AUCTION|BEST_OFFER},price:[10..],priceCurrency:USD',
    })
    expect(seen.filter(({ path }) => path.endsWith('/token'))).toHaveLength(1)
    expect(seen[0]?.authorization).toBe(`Basic ${Buffer.from('id:secret').toString('base64')}`)
    expect(seen[1]?.authorization).toBe('Bearer t1')
  })

  test.each([
    [429, 502, 'MarketplaceRefused'],
    [500, 502, 'UpstreamFailed'],
  ])('an API status of %s becomes a failure with status %s and reason %s', async (status, expected, reason) => {
    const { adapter } = await serve(() => ({ status, body: {} }))
    await expect(adapter.search(request, signal)).rejects.toMatchObject({ status: expected, reason })
  })

  test('a search without credentials fails with a 503 that names the settings', async () => {
    const adapter = createApiAdapter({
      call: createApiCall({ userAgent: 'T' }),
      apiUrl: 'http://127.0.0.1:1',
      clientId: undefined,
      clientSecret: undefined,
      marketplaceId: undefined,
      platform: 'marketplace',
      defaultCurrency: 'USD',
      now: () => now,
    })
    await expect(adapter.search(request, signal)).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining('MARKETPLACE_APP_ID'),
    })
  })
})

describe('completed sales', () => {
  test('completed sales come from the insights API', async () => {
    const { adapter } = await serve(() => ({
      body: {
        itemSales: [
          {
            title: 'Camera body',
            condition: 'Used',
            lastSoldPrice: { value: '50.00', currency: 'USD' },
            lastSoldDate: '2026-05-04T10:00:00.000Z',
          },
        ],
      },
    }))
    expect(await adapter.completedSales('camera', signal)).toEqual([
      { price: 50, currency: 'USD', soldOn: '2026-05-04', title: 'Camera body', condition: 'used' },
    ])
  })

  test.each([403, 404])('completed sales are empty without the permission (status %s)', async (status) => {
    const { adapter } = await serve(() => ({ status, body: {} }))
    expect(await adapter.completedSales('camera', signal)).toEqual([])
  })
})
