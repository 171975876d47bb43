import { describe, expect, test } from 'vitest'
import { type Candidate, decide } from './decide.ts'

const now = new Date('2026-03-01T12:00:00Z')
const candidate = (change: Partial<Candidate> = {}): Candidate => ({
  platform: 'marketplace',
  platformListingId: '1',
  title: 'A camera',
  url: 'http://site.test/itm/1',
  photoUrl: null,
  sellerPlatformId: 'ada',
  price: 100,
  hasRange: false,
  currency: 'USD',
  buyingFormat: 'fixed_price',
  endsAt: null,
  compositeScore: 80,
  isPartial: false,
  hardFilters: [],
  ...change,
})
const settings = { minTrustScore: 60, now }
const known = (price: number | null, currency = 'USD') => ({ price, currency })

describe('a listing without an earlier alert', () => {
  test.each([
    ['with the score of the threshold alerts', { compositeScore: 60 }, 'new_match'],
    ['with a lower score does not', { compositeScore: 59 }, undefined],
    ['with a partial score needs ten more', { compositeScore: 69, isPartial: true }, undefined],
    ['with a partial score ten above alerts', { compositeScore: 70, isPartial: true }, 'new_match'],
    ['without a price alerts', { price: null }, 'new_match'],
    [
      'at auction alerts in its last 24 hours',
      { buyingFormat: 'auction', endsAt: '2026-03-02T12:00:00Z' },
      'new_match',
    ],
    ['at auction does not alert before', { buyingFormat: 'auction', endsAt: '2026-03-02T12:00:01Z' }, undefined],
    [
      'at an auction that is over does not alert',
      { buyingFormat: 'auction', endsAt: '2026-03-01T12:00:00Z' },
      undefined,
    ],
    ['at an auction without a known end alerts', { buyingFormat: 'auction', endsAt: null }, 'new_match'],
  ] as const)('%s', (_what, change, kind) => {
    expect(decide(candidate(change), undefined, settings)?.kind).toBe(kind)
  })

  test('of a blocked seller does not alert, whatever the threshold', () => {
    const blocked = candidate({ compositeScore: 0, hardFilters: ['established_bad_actor'] })
    expect(decide(blocked, undefined, { ...settings, minTrustScore: 0 })).toBeUndefined()
  })
})

describe('a listing with an earlier alert', () => {
  test.each([
    ['at the same price does not alert again', {}, known(100), undefined],
    ['that is 5 % cheaper alerts to the drop', { price: 95 }, known(100), 'price_drop'],
    ['that is less than 5 % cheaper does not', { price: 95.01 }, known(100), undefined],
    ['that is 5 % dearer alerts to the rise', { price: 105 }, known(100), 'price_rise'],
    ['that is less than 5 % dearer does not', { price: 104.99 }, known(100), undefined],
    ['whose change is not exact in binary counts', { price: 0.19 }, known(0.2), 'price_drop'],
    ['in another currency is not compared', { price: 50, currency: 'EUR' }, known(100), undefined],
    ['without a price before is not compared', { price: 50 }, known(null), undefined],
    ['that has a range of prices now is not compared', { price: 50, hasRange: true }, known(100), undefined],
    ['that was free is not compared', { price: 50 }, known(0), undefined],
    ['without a price now is not compared', { price: null }, known(100), undefined],
    ['that is no longer trusted does not alert', { price: 50, compositeScore: 20 }, known(100), undefined],
    ['at auction does not alert to bids', { price: 150, buyingFormat: 'auction' }, known(100), undefined],
  ] as const)('%s', (_what, change, before, kind) => {
    expect(decide(candidate(change), before, settings)?.kind).toBe(kind)
  })

  test('includes the price before', () => {
    expect(decide(candidate({ price: 80 }), known(100), settings)).toEqual({ kind: 'price_drop', priceBefore: 100 })
  })
})
