import type { ListingRest, SellerRest, TrustScoreRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import { arrange } from './arrange.ts'
import type { Applied, Result } from './filters.ts'

const applied: Applied = { trust: null, cond: '', age: null, fb: null, hide: [], sort: 'trust' }

const result = (
  id: string,
  {
    price = 10,
    low = 50,
    high = 50,
    flags = [] as string[],
    feedback = 100 as number | null,
    ends = null as string | null,
    currency = 'USD',
  } = {},
): Result => ({
  listing: { platform_listing_id: id, price, currency, condition: 'used', ends_at: ends } as ListingRest,
  score: {
    composite_score: high,
    score_range: { low, high },
    hard_filters: [] as string[],
    soft_flags: flags,
  } as TrustScoreRest,
  seller: { feedback_count: feedback, account_age_days: null as number | null } as SellerRest,
})

test('results are sorted by the lowest trust that they can end with', () => {
  const results = [
    result('a', { low: 20, high: 100 }),
    result('b', { low: 60, high: 60 }),
    result('c', { low: 90, high: 90 }),
  ]
  expect(arrange(results, applied).ids).toEqual(['c', 'b', 'a'])
})

test('a filter hides what is known to be too little, and counts it, but not what is unknown', () => {
  const results = [result('a', { feedback: 3 }), result('b', { feedback: null }), result('c', { low: 10, high: 40 })]
  const { ids, hidden } = arrange(results, { ...applied, fb: 10, trust: 50 })
  expect(ids).toEqual(['b'])
  expect(Object.fromEntries(hidden)).toEqual({ feedback: 1, trust: 1 })
})

test('flags hide by their names, and unknown prices come last', () => {
  const results = [
    result('a', { flags: ['duplicate_photo'] }),
    result('b', { price: null as never }),
    result('c', { price: 3 }),
  ]
  expect(arrange(results, { ...applied, hide: ['duplicate_photo'], sort: 'price' }).ids).toEqual(['c', 'b'])
})

test('by price, results in the currency of the user come first, and only by price', () => {
  const results = [
    result('a', { price: 1 }),
    result('b', { price: 5, currency: 'EUR' }),
    result('c', { price: 3, currency: 'EUR' }),
  ]
  expect(arrange(results, { ...applied, sort: 'price' }, 'EUR').ids).toEqual(['c', 'b', 'a'])
  expect(arrange(results, { ...applied, sort: 'price-down' }, 'EUR').ids).toEqual(['b', 'c', 'a'])
  expect(arrange(results, { ...applied, sort: 'price' }).ids).toEqual(['a', 'c', 'b'])
  expect(arrange(results, { ...applied, sort: 'found' }, 'EUR').ids).toEqual(['a', 'b', 'c'])
})
