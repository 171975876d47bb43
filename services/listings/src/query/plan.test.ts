import { readConfig } from '@trellis/kit/config'
import { Adapter, MustIncludeMode, type SearchRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { expect, test } from 'vitest'
import { chooseAdapter } from '../choose-adapter.ts'
import { listingsConfig } from '../config.ts'
import { planSearch } from './plan.ts'

const bare = readConfig(listingsConfig, {})
const keys = { MARKETPLACE_APP_ID: 'id', MARKETPLACE_CERT_ID: 'secret' }
const api = { MARKETPLACE_API_URL: 'https://api.test' }
const request: SearchRequest = {
  q: ' gpu ',
  maxPrice: 0,
  minPrice: 10,
  pages: 7,
  mustInclude: 'rtx',
  mustIncludeMode: MustIncludeMode.ALL,
  mustExclude: 'broken',
  categoryId: '',
  adapter: Adapter.AUTO,
}

test.each([
  [Adapter.AUTO, {}, 'scraper'],
  [Adapter.AUTO, { ...api, ...keys }, 'api'],
  [Adapter.AUTO, keys, 'api'],
  [Adapter.AUTO, { ...keys, MARKETPLACE_BASE_URL: 'https://site.test' }, 'scraper'],
  [Adapter.AUTO, { ...api, MARKETPLACE_CLIENT_ID: 'id', MARKETPLACE_CLIENT_SECRET: 'secret' }, 'api'],
  [Adapter.AUTO, { ...api, ...keys, MARKETPLACE_ENV: 'sandbox' }, 'scraper'],
  [
    Adapter.AUTO,
    { ...api, MARKETPLACE_ENV: 'sandbox', MARKETPLACE_SANDBOX_APP_ID: 'id', MARKETPLACE_SANDBOX_CERT_ID: 'secret' },
    'api',
  ],
  [Adapter.SCRAPER, { ...api, ...keys }, 'scraper'],
] as const)('%s with %j uses the %s', (requested, environment, expected) => {
  expect(chooseAdapter(requested, readConfig(listingsConfig, environment))).toBe(expected)
})

test.each([{}, { ...keys, MARKETPLACE_BASE_URL: 'https://site.test' }, api])(
  'requiring the API fails with %j',
  (environment) => {
    expect(() => chooseAdapter(Adapter.API, readConfig(listingsConfig, environment))).toThrow(
      expect.objectContaining({ status: 503 }),
    )
  },
)

test.each([
  ['the lowest price', { price: 10 }, true],
  ['the highest price', { price: 80 }, true],
  ['less', { price: 9.99 }, false],
  ['more', { price: 80.01 }, false],
  ['no price', { price: null }, true],
  ['a range that reaches into the limits', { price: 5, priceHigh: 12 }, true],
  ['a range below them', { price: 5, priceHigh: 9 }, false],
  ['a range above them', { price: 81, priceHigh: 90 }, false],
  ['one end of a range, which may reach into them', { price: 5, priceHigh: 5 }, true],
  ['a price in another currency', { price: 12_000, currency: 'JPY' }, true],
])('a listing of %s is accepted: %j is %s', (_what, change, accepted) => {
  const plan = planSearch({ ...request, maxPrice: 80 }, 'paid', bare)
  const listing = { title: 'RTX card', priceHigh: null, currency: 'USD', ...change }
  expect(plan?.accepts(listing)).toBe(accepted)
})

test('limits are in the currency of the site, and listings of other words are not accepted', () => {
  const german = readConfig(listingsConfig, { MARKETPLACE_BASE_URL: 'https://www.site.de' })
  const plan = planSearch({ ...request, maxPrice: 80 }, 'paid', german)
  const listing = { title: 'RTX card', price: 90, priceHigh: null, currency: 'EUR' }
  expect(plan?.accepts(listing)).toBe(false)
  expect(plan?.accepts({ ...listing, currency: 'USD' })).toBe(true)
  expect(plan?.accepts({ ...listing, price: 70, title: 'RTX card, broken' })).toBe(false)
})

test('a plan has the effective limits, and the pages that the tier allows', () => {
  expect(planSearch(request, 'paid', bare)).toMatchObject({
    adapter: 'scraper',
    requests: [
      { query: 'gpu', mustExclude: ['broken'], minPrice: 10, maxPrice: undefined, categoryId: undefined, pages: 5 },
    ],
    terms: { compQuery: 'gpu rtx' },
  })
  expect(planSearch({ ...request, q: '  ' }, 'paid', bare)).toBeUndefined()
})

test.each(['q', 'mustInclude', 'mustExclude', 'categoryId'] as const)('U+0000 in %s is refused', (name) => {
  const plan = () => planSearch({ ...request, [name]: 'a\0b' }, 'local', bare)
  expect(plan).toThrow('must not contain the character U+0000')
})
