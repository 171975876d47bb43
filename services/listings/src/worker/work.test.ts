import { expect, test } from 'vitest'
import type { MarketplaceAdapter, SearchRequest } from '../marketplace/adapter.ts'
import type { Listing } from '../records.ts'
import { decodeOutput, type WorkerOutput } from './messages.ts'
import { mergeFound, performWork } from './work.ts'

const never = new AbortController().signal
const marketplace = { adapter: 'scraper', baseUrl: 'https://site.test', isDemo: false } as const
const noRestrictions = { mustExclude: [], minPrice: undefined, maxPrice: undefined, categoryId: undefined, pages: 1 }
/** Everything that can be looked up of a seller. */
const all = { wantsFacts: true, wantsCategories: true }
const requestFor = (query: string): SearchRequest => ({ query, ...noRestrictions })

const listing = (platformListingId: string, title: string): Listing => ({
  platform: 'marketplace',
  platformListingId,
  title,
  price: 10,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId: '',
  url: 'https://site.test/itm/1',
  photoUrls: [],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
})

/** An adapter that answers each call in a later turn, and records the calls and how many of each kind were under way. */
const openAdapter = () => {
  const calls: string[] = []
  const underWay = { search: 0, seller: 0 }
  const most = { search: 0, seller: 0 }
  const tracked = async <Result>(kind: 'search' | 'seller', name: string, result: Result): Promise<Result> => {
    calls.push(name)
    underWay[kind] += 1
    most[kind] = Math.max(most[kind], underWay[kind])
    await new Promise((resolve) => setImmediate(resolve))
    underWay[kind] -= 1
    return result
  }
  const adapter: MarketplaceAdapter = {
    name: 'scraper',
    search: ({ query }) =>
      tracked('search', query, { listings: [listing('1', query), listing(query, query)], sellers: [], usableShare: 1 }),
    completedSales: async (query) => {
      calls.push(`sales ${query}`)
      return []
    },
    sellerFacts: (id) =>
      tracked('seller', `facts ${id}`, {
        sellerNames: [],
        accountOpened: null,
        feedbackCount: null,
        feedbackRatio: null,
      }),
    sellerCategories: async (id) => {
      calls.push(`categories ${id}`)
      return null
    },
  }
  return { adapter, calls, most }
}

const perform = async (input: Parameters<typeof performWork>[0], adapter: MarketplaceAdapter) => {
  const outputs: WorkerOutput[] = []
  await performWork(input, {
    adapterOf: () => adapter,
    output: (message) => outputs.push(decodeOutput(message)),
    progress: () => undefined,
    signal: never,
  })
  return outputs
}

test('a search looks completed sales up first, and sends four queries at a time beside that', async () => {
  const { adapter, calls, most } = openAdapter()
  const requests = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(requestFor)
  await perform({ kind: 'search', marketplace, requests, salesQuery: 'q' }, adapter)
  expect(calls[0]).toBe('sales q')
  expect(calls.slice(1)).toEqual(requests.map(({ query }) => query))
  expect(most.search).toBe(4)
})

test('the results of several queries are merged: each listing once, as first found', async () => {
  const { adapter } = openAdapter()
  const outputs = await perform(
    { kind: 'search', marketplace, requests: ['a', 'b'].map(requestFor), salesQuery: null },
    adapter,
  )
  const found = outputs.flatMap((output) => (output.kind === 'found' ? output.listings : []))
  expect(found.map(({ platformListingId, title }) => [platformListingId, title])).toEqual([
    ['1', 'a'],
    ['a', 'a'],
    ['b', 'b'],
  ])
  expect(mergeFound([]).listings).toEqual([])
})

test('sellers are looked up two at a time, their page and their categories concurrently', async () => {
  const { adapter, calls, most } = openAdapter()
  const tasks = ['1', '2', '3', '4', '5'].map((id) => ({
    sellerId: `seller ${id}`,
    listingId: id,
    ...all,
  }))
  await perform({ kind: 'enrich', marketplace, tasks }, adapter)
  expect(most.seller).toBe(2)
  expect(calls.slice(0, 4).toSorted()).toEqual(['categories seller 1', 'categories seller 2', 'facts 1', 'facts 2'])
})

test('a failed lookup of sales, or of one seller, fails neither the search nor the other lookups', async () => {
  const { adapter } = openAdapter()
  const failing: MarketplaceAdapter = {
    ...adapter,
    completedSales: () => Promise.reject(new Error('refused')),
    sellerFacts: (id, signal) => (id === '1' ? Promise.reject(new Error('no page')) : adapter.sellerFacts(id, signal)),
  }
  const search = await perform({ kind: 'search', marketplace, requests: [requestFor('a')], salesQuery: 'q' }, failing)
  expect(search).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'sales', sales: [], failure: 'refused' }),
      expect.objectContaining({ kind: 'found' }),
    ]),
  )
  const tasks = ['1', '2'].map((id) => ({ sellerId: id, listingId: id, ...all }))
  const sellers = await perform({ kind: 'enrich', marketplace, tasks }, failing)
  expect(sellers.map((output) => (output.kind === 'seller' ? [output.sellerId, output.failure] : output))).toEqual(
    expect.arrayContaining([
      ['1', 'no page'],
      ['2', null],
    ]),
  )
})
