import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Card } from '../marketplace/card.ts'
import { salesAmong } from '../marketplace/sales.ts'
import type { Sale } from '../records.ts'
import { expiresAt, queryHash, summariseSales } from './comps.ts'

const now = new Date('2026-06-15T12:00:00Z')
const at = (...prices: number[]): Sale[] =>
  prices.map((price) => ({ price, currency: 'USD', soldOn: null, title: 'Canon EOS R6 body', condition: 'pre-owned' }))
const titled = (title: string, prices: readonly number[], condition = 'pre-owned'): Sale[] =>
  at(...prices).map((sale) => ({ ...sale, title, condition }))
const summary = (sales: readonly Sale[], query = 'canon eos r6') => summariseSales(sales, query, now)

describe('summary', () => {
  test('an odd number of sales takes the middle one, an even number the mean of the two middle ones', () => {
    expect(summary(at(30, 10, 20))).toMatchObject({
      medianPrice: 20,
      quartiles: [15, 25],
      sampleCount: 3,
      currency: 'USD',
    })
    expect(summary(at(40, 10, 20, 30)).medianPrice).toBe(25)
  })

  test('fewer than three sales have no median', () => {
    const none = { medianPrice: null, quartiles: null, details: { confidence: 'none', interval: null } }
    expect(summary(at(10, 20))).toMatchObject({ ...none, sampleCount: 2, currency: 'USD' })
    expect(summary([])).toMatchObject({ ...none, sampleCount: 0, currency: null })
  })

  test('outliers are trimmed from eight sales on, and the sample count excludes them', () => {
    const trimmed = summary(at(10, 11, 12, 13, 14, 15, 16, 1000))
    expect(trimmed).toMatchObject({ medianPrice: 13, sampleCount: 7, details: { excluded: { outlier: 1 } } })
    expect(summary(at(10, 11, 12, 13, 14, 15, 1000))).toMatchObject({ medianPrice: 13, sampleCount: 7 })
  })

  test('sales outside the most common currency are left out', () => {
    const mixed = [...at(10, 20, 30), { price: 5000, currency: 'JPY', soldOn: null }]
    expect(summary(mixed)).toMatchObject({
      medianPrice: 20,
      sampleCount: 3,
      currency: 'USD',
      details: { excluded: { other_currency: 1 } },
    })
  })

  test('the most common currency is that of the sales that count, not of lots and broken items', () => {
    const lots = titled('Lot of 3 Canon EOS R6', [50, 60, 70, 80]).map((sale) => ({ ...sale, currency: 'EUR' }))
    expect(summary([...at(10, 20, 30), ...lots])).toMatchObject({ medianPrice: 20, sampleCount: 3, currency: 'USD' })
    expect(summary(lots)).toMatchObject({ medianPrice: null, sampleCount: 0, currency: 'EUR' })
  })

  test('sales without titles, from workers of older versions, count', () => {
    const untitled = at(10, 20, 30).map(({ price, currency, soldOn }) => ({ price, currency, soldOn }))
    expect(summary(untitled)).toMatchObject({ medianPrice: 20, sampleCount: 3, details: { strata: [] } })
  })

  test('accessories, other models, empty boxes, broken items and lots are in no median', () => {
    const sales = [
      ...at(1000, 1100, 1200),
      ...titled('Battery for Canon EOS R6', [20, 21]),
      ...titled('Canon EOS R6 Mark II', [1900]),
      ...titled('Canon EOS R6 empty box', [15]),
      ...titled('Canon EOS R6 not working', [300]),
      ...titled('Lot of 3 Canon EOS R6', [3200]),
      ...titled('Nikon Z6', [700]),
    ]
    expect(summary(sales)).toMatchObject({ medianPrice: 1100, sampleCount: 3, quartiles: [1050, 1150] })
    expect(summary(sales).details?.excluded).toEqual({
      accessory: 2,
      other_model: 2,
      incomplete: 1,
      for_parts: 1,
      lot: 1,
    })
  })

  test('a title that may name a part is one at less than half of the price of wholes, and a whole otherwise', () => {
    const wholes = titled('Bosch SMS46 dishwasher', [300, 310, 320, 330])
    const seal = 'Bosch SMS46 dishwasher door seal'
    expect(summary([...wholes, ...titled(seal, [20, 25])], 'bosch sms46 dishwasher')).toMatchObject({
      medianPrice: 315,
      sampleCount: 4,
      details: { excluded: { part: 2 } },
    })
    expect(summary([...wholes, ...titled(seal, [290])], 'bosch sms46 dishwasher').sampleCount).toBe(5)
    const many = [20, 21, 22]
    expect(summary([...wholes.slice(2), ...titled(seal, many)], 'bosch sms46 dishwasher').sampleCount).toBe(5)
    const yen = titled(seal, [2500]).map((sale) => ({ ...sale, currency: 'JPY' }))
    expect(summary([...wholes, ...yen], 'bosch sms46 dishwasher').details?.excluded).toEqual({ other_currency: 1 })
  })

  test('a title without a word of the query counts unless its price is below a tenth of the others', () => {
    const query = 'canon eos r6 mark body'
    const bodies = titled('Canon EOS R6 Mark II body', [1000, 1100, 1200])
    const offered = (price: number) => summary([...bodies, ...titled('Canon EOS R6 replacement', [price])], query)
    expect(offered(120)).toMatchObject({ sampleCount: 4, details: { excluded: {} } })
    expect(offered(100)).toMatchObject({
      sampleCount: 3,
      medianPrice: 1100,
      details: { excluded: { other_words: 1 } },
    })
    const few = summary([...bodies.slice(2), ...titled('Canon EOS R6 replacement', [10])], query)
    expect(few).toMatchObject({ sampleCount: 2, details: { excluded: {} } })
  })

  test('a title with a noun of an accessory counts at a price near that of the others', () => {
    const phones = titled('Doogee S88 smartphone 128GB', [140, 150, 160])
    const offered = (title: string, ...prices: number[]) => summary([...phones, ...titled(title, prices)], 'doogee s88')
    expect(offered('Doogee S88 perforated screen', 145, 155)).toMatchObject({ sampleCount: 5 })
    expect(offered('Doogee S88 perforated screen', 35)).toMatchObject({
      sampleCount: 3,
      medianPrice: 150,
      details: { excluded: { accessory: 1 } },
    })
    expect(offered('Écran Doogee S88', 35).details?.excluded).toEqual({ accessory: 1 })
    const few = summary([...phones.slice(1), ...titled('Doogee S88 perforated screen', [145])], 'doogee s88')
    expect(few).toMatchObject({ sampleCount: 2, details: { excluded: { accessory: 1 } } })
  })
  test('each condition has a price of its own; one with fewer than three sales has none', () => {
    const sales = [
      ...titled('Canon EOS R6', [1000, 1010, 1020, 9000]),
      ...titled('Canon EOS R6', [1300, 1310, 1320], 'brand new'),
      ...titled('Canon EOS R6', [400, 410], 'for parts or not working'),
    ]
    expect(summary(sales).details?.strata).toMatchObject([
      { condition: 'new', medianPrice: 1310, sampleCount: 3 },
      { condition: 'used', medianPrice: 1010, sampleCount: 3 },
      { condition: 'for_parts', medianPrice: null, sampleCount: 2 },
    ])
  })

  test('broken items and lots count for a query that names them', () => {
    const broken = titled('Canon EOS R6 for parts', [300, 310, 320])
    expect(summary(broken).medianPrice).toBeNull()
    expect(summary(broken, 'canon eos r6 for parts').medianPrice).toBe(310)
  })

  test('two groups of prices are recognized, and their median is not reliable', () => {
    const two = [100, 101, 103, 104, 105, 106, 300, 303, 306, 309, 310, 312]
    expect(summary(at(...two)).details).toMatchObject({ modes: [103.5, 307.5], confidence: 'low' })
    const one = [100, 120, 140, 160, 180, 200, 220, 240, 260, 280, 300, 310]
    expect(summary(at(...one)).details?.modes).toBeNull()
  })

  test('confidence grows with the sample and falls with the width of the interval', () => {
    const prices = (count: number, spread: number) =>
      Array.from({ length: count }, (_, index) => 100 + (index % 10) * spread)
    expect(summary(at(...prices(40, 1))).details?.confidence).toBe('high')
    expect(summary(at(...prices(10, 2))).details?.confidence).toBe('medium')
    expect(summary(at(...prices(5, 1))).details?.confidence).toBe('low')
  })

  test('a recent sale counts more in the recent median than an old one', () => {
    const sold = (price: number, soldOn: string): Sale => ({ ...at(price)[0], price, currency: 'USD', soldOn })
    const sales = [
      sold(100, '2026-01-01'),
      sold(110, '2026-01-02'),
      sold(120, '2026-01-03'),
      sold(200, '2026-06-14'),
      sold(210, '2026-06-13'),
    ]
    expect(summary(sales)).toMatchObject({ medianPrice: 120, details: { recentMedian: 200 } })
  })
})

describe('properties', () => {
  const price = fc.integer({ min: 100, max: 100_000 }).map((cents) => cents / 100)
  const prices = fc.array(price, { maxLength: 60 })

  test('the median lies between the quartiles and inside its interval', () => {
    fc.assert(
      fc.property(prices, (all) => {
        const { medianPrice, quartiles, details } = summary(at(...all))
        if (medianPrice === null || quartiles === null) return
        expect(medianPrice).toBeGreaterThanOrEqual(quartiles[0])
        expect(medianPrice).toBeLessThanOrEqual(quartiles[1])
        if (!details?.interval) return
        // Medians are rounded to cents.
        expect(medianPrice).toBeGreaterThanOrEqual(details.interval.low - 0.005)
        expect(medianPrice).toBeLessThanOrEqual(details.interval.high + 0.005)
        expect(details.interval.level).toBeGreaterThanOrEqual(0.95)
      }),
    )
  })

  test('unrelated sales change nothing but the counts of excluded ones, wherever they are and whatever they cost', () => {
    const unrelated = fc.constantFrom(
      'Case for Canon EOS R6',
      'Canon EOS R6 box only',
      'Canon EOS R5',
      'Canon EOS R6 II',
      'Screen protector Canon EOS R6',
      'Sony A7 III',
      'Akku für Canon EOS R6',
      'Coque pour Canon EOS R6',
      'Custodia per Canon EOS R6',
      'Funda para Canon EOS R6',
    )
    fc.assert(
      fc.property(prices, fc.array(fc.tuple(unrelated, price)), (all, others) => {
        const related = at(...all)
        const added = others.flatMap(([title, amount]) => titled(title, [amount]))
        const [without, mixed] = [summary(related), summary([...added, ...related])]
        expect({ ...mixed, details: { ...mixed.details, excluded: null } }).toEqual({
          ...without,
          details: { ...without.details, excluded: null },
        })
      }),
    )
  })

  test('the order of sales does not matter', () => {
    fc.assert(
      fc.property(prices, (all) => {
        expect(summary(at(...all.toReversed()))).toEqual(summary(at(...all)))
      }),
    )
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
    expect(salesAmong([card])).toEqual([
      { price: 50, currency: 'USD', soldOn: '2026-05-04', title: 'Camera', condition: null },
    ])
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

test('a comp is keyed by the MD5 of the exact query and expires after six hours, without a median after half an hour', () => {
  expect(queryHash('camera')).toBe('dd6d2dcc679d12b9430a9787bab45b33')
  expect(queryHash('Camera')).not.toBe(queryHash('camera'))
  expect(expiresAt(now, { medianPrice: 5 }).toISOString()).toBe('2026-06-15T18:00:00.000Z')
  expect(expiresAt(now, { medianPrice: null }).toISOString()).toBe('2026-06-15T12:30:00.000Z')
})
