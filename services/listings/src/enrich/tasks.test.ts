import { expect, test } from 'vitest'
import type { ListingRow } from '../found/store.ts'
import type { SellerRow } from '../sellers/store.ts'
import { chooseTasks, pageIdOf } from './tasks.ts'

const seller = (id: string, change: Partial<SellerRow> = {}): readonly [string, SellerRow] => [
  id,
  {
    id: 1,
    platform: 'marketplace',
    platform_seller_id: id,
    username: id,
    platform_user_id: null,
    account_opened_on: null,
    account_opened_until: null,
    account_listing_id: null,
    account_read_at: null,
    feedback_read_at: null,
    history_source: null,
    history_read_at: null,
    feedback_count: 10,
    feedback_ratio: 1,
    category_history_json: null,
    fetched_at: '2026-06-15T12:00:00.000Z',
    lookup_id: null,
    lookup_until: null,
    ...change,
  },
]
const now = new Date('2026-06-15T12:00:00Z')
const known = {
  account_opened_on: '2020-01-01',
  account_opened_until: '2020-01-31',
  account_listing_id: '1',
  account_read_at: '2026-06-15T11:00:00.000Z',
  category_history_json: '{"ELECTRONICS":3}',
  history_source: 'marketplace',
  history_read_at: '2026-06-15T11:00:00.000Z',
} as const
// Only these two columns are read.
const listing = (id: string, sellerId: string) =>
  ({ platform_listing_id: id, seller_platform_id: sellerId }) as ListingRow

test('the first three sellers are looked up once each, in the order of the results', () => {
  const rows = ['a', 'b', 'a', 'unknown', '', 'c', 'd'].map((id, index) => listing(String(index), id))
  const tasks = chooseTasks(rows, new Map(['a', 'b', 'c', 'd'].map((id) => seller(id))), now)
  expect(tasks).toEqual(
    [
      ['a', '0'],
      ['b', '1'],
      ['c', '5'],
    ].map(([sellerId, listingId]) => ({ sellerId, listingId, wantsFacts: true, wantsCategories: true })),
  )
})

test('sellers whose answers can change most come first, and blocked ones are not looked up', () => {
  const ids = ['half', 'one', 'two', 'two', 'blocked', 'blocked', 'blocked', 'vain', 'vain', 'vain']
  const rows = ids.map((id, index) => listing(String(index), id))
  const sellers = new Map([
    ...['one', 'two', 'blocked'].map((id) => seller(id)),
    // Only the categories are missing.
    seller('half', { ...known, category_history_json: null }),
    seller('vain', { lookup_until: '2026-06-15T11:30:00.000Z' }),
  ])
  const isBlocked = (id: string) => id === 'blocked'
  const idsAt = (at: Date) => chooseTasks(rows, sellers, at, isBlocked).map(({ sellerId }) => sellerId)
  // What was just looked up in vain comes last of those whose account is unknown, and first again later.
  expect(idsAt(now)).toEqual(['two', 'one', 'vain', 'half'])
  expect(idsAt(new Date('2026-06-15T13:00:00Z'))).toEqual(['vain', 'two', 'one'])
})

test('a seller whose page has shown that there is no feedback comes after those who were not looked up', () => {
  const none = seller('none', { ...known, feedback_count: 0 })
  expect(requested(none, seller('a'), seller('b'), seller('c')).map(([id]) => id)).toEqual(['a', 'b', 'c'])
  expect(requested(none)).toEqual([['none', true, false]])
})

test('facts and categories are requested separately, and only where missing', () => {
  const tasks = requested(
    seller('done', known),
    seller('zero', { ...known, feedback_count: 0 }),
    seller('no-history', { ...known, category_history_json: '{}' }),
  )
  expect(tasks).toEqual([
    ['zero', true, false],
    ['no-history', false, true],
  ])
})

const requested = (...sellers: readonly (readonly [string, SellerRow])[]) =>
  chooseTasks(
    sellers.map(([id], index) => listing(String(index), id)),
    new Map(sellers),
    now,
  ).map(({ sellerId, wantsFacts, wantsCategories }) => [sellerId, wantsFacts, wantsCategories])

test('a join date without a source listing and a history of unknown source are read again', () => {
  expect(requested(seller('poisoned', { ...known, account_listing_id: null }))).toEqual([['poisoned', true, false]])
  expect(requested(seller('derived', { ...known, history_source: null }))).toEqual([['derived', false, true]])
})

test('facts are read again after 30 days and histories after 7, after those that are missing', () => {
  const stale = { account_read_at: '2026-05-16T11:00:00.000Z', history_read_at: '2026-06-08T11:00:00.000Z' }
  expect(requested(seller('stale', { ...known, ...stale }))).toEqual([['stale', true, true]])
  const missing = ['a', 'b', 'c'].map((id) => seller(id))
  expect(requested(seller('stale', { ...known, ...stale }), ...missing).map(([id]) => id)).toEqual(['a', 'b', 'c'])
})

test("the id of a page is extracted from the API's longer id", () => {
  expect(pageIdOf('v1|334691749565|543843548440')).toBe('334691749565')
  expect(pageIdOf('334691749565')).toBe('334691749565')
})
