import { describe, expect, test } from 'vitest'
import type { Card } from '../marketplace/card.ts'
import { salesAmong } from '../marketplace/sales.ts'
import { expiresAt, queryHash, summariseSales } from './comps.ts'

const at = (...prices: number[]) => prices.map((price) => ({ price, currency: 'USD', soldOn: null }))

describe('summary', () => {
  test('an odd number of sales takes the middle one, an even number the mean of the two middle ones', () => {
    expect(summariseSales(at(30, 10, 20))).toEqual({
      medianPrice: 20,
      quartiles: [15, 25],
      sampleCount: 3,
      currency: 'USD',
    })
    expect(summariseSales(at(40, 10, 20, 30)).medianPrice).toBe(25)
  })

  test('fewer than three sales have no median', () => {
    expect(summariseSales(at(10, 20))).toEqual({ medianPrice: null, quartiles: null, sampleCount: 2, currency: 'USD' })
    expect(summariseSales([])).toEqual({ medianPrice: null, quartiles: null, sampleCount: 0, currency: null })
  })

  test('outliers are trimmed from eight sales on, and the sample count excludes them', () => {
    expect(summariseSales(at(10, 11, 12, 13, 14, 15, 16, 1000))).toMatchObject({ medianPrice: 13, sampleCount: 7 })
    expect(summariseSales(at(10, 11, 12, 13, 14, 15, 1000))).toMatchObject({ medianPrice: 13, sampleCount: 7 })
  })

  test('sales outside the most common currency are left out', () => {
    const mixed = [...at(10, 20, 30), { price: 5000, currency: 'JPY', soldOn: null }]
    expect(summariseSales(mixed)).toMatchObject({ medianPrice: 20, sampleCount: 3, currency: 'USD' })
  })
})

describe('sales', () => {
  const card: Card = {
    id: '110000000001',
    title: 'Camera',
    url: null,
    price: { amount: 50, currency: 'USD', high: null, isStruck: false },
    condition: null,
    photos: [],
    seller: null,
    format: 'fixed_price',
    bids: null,
    endsAt: null,
    outcome: { kind: 'sold', on: '2026-05-04' },
    offerAccepted: false,
  }
  const price = { amount: 50, currency: 'USD', high: null, isStruck: false }

  test('a card marked sold at one price counts', () => {
    expect(salesAmong([card])).toEqual([{ price: 50, currency: 'USD', soldOn: '2026-05-04' }])
  })

  test.each([
    ['ended unsold', { outcome: { kind: 'ended', on: null } }],
    ['not marked', { outcome: null }],
    ['a range', { price: { ...price, high: 90 } }],
    ['struck through', { price: { ...price, isStruck: true } }],
    ['an accepted offer', { offerAccepted: true }],
    ['without a price', { price: null }],
  ] as const)('a card is not a sale: %s', (_, change) => {
    expect(salesAmong([{ ...card, ...change }])).toEqual([])
  })
})

test('a comp is keyed by the MD5 of the exact query and expires after six hours', () => {
  expect(queryHash('camera')).toBe('dd6d2dcc679d12b9430a9787bab45b33')
  expect(queryHash('Camera')).not.toBe(queryHash('camera'))
  expect(expiresAt(new Date('2026-06-15T12:00:00Z')).toISOString()).toBe('2026-06-15T18:00:00.000Z')
})
