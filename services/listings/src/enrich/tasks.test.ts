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
    account_opened_on: null,
    feedback_count: 10,
    feedback_ratio: 1,
    category_history_json: null,
    fetched_at: '2026-06-15T12:00:00.000Z',
    ...change,
  },
]
// Only these two columns are looked at.
const listing = (id: string, sellerId: string) =>
  ({ platform_listing_id: id, seller_platform_id: sellerId }) as ListingRow

test('the first three sellers are looked up, each once, in the order of the results', () => {
  const rows = ['a', 'b', 'a', 'unknown', '', 'c', 'd'].map((id, index) => listing(String(index), id))
  const tasks = chooseTasks(rows, new Map(['a', 'b', 'c', 'd'].map((id) => seller(id))))
  expect(tasks).toEqual(
    [
      ['a', '0'],
      ['b', '1'],
      ['c', '5'],
    ].map(([sellerId, listingId]) => ({ sellerId, listingId, wantsFacts: true, wantsCategories: true })),
  )
})

test('facts and categories are counted apart, and what is known is not asked for', () => {
  const known = { account_opened_on: '2020-01-01', category_history_json: '{"ELECTRONICS":3}' }
  const sellers = new Map([
    seller('done', known),
    seller('zero', { ...known, feedback_count: 0 }),
    seller('no-history', { account_opened_on: '2020-01-01', category_history_json: '{}' }),
  ])
  const tasks = chooseTasks(
    ['done', 'zero', 'no-history'].map((id, index) => listing(String(index), id)),
    sellers,
  )
  expect(tasks.map(({ sellerId, wantsFacts, wantsCategories }) => [sellerId, wantsFacts, wantsCategories])).toEqual([
    ['zero', true, false],
    ['no-history', false, true],
  ])
})

test("the API's longer ids hold the page's", () => {
  expect(pageIdOf('v1|334691749565|543843548440')).toBe('334691749565')
  expect(pageIdOf('334691749565')).toBe('334691749565')
})
