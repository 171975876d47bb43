import { describe, expect, test } from 'vitest'
import type { Listing, Seller } from '../records.ts'
import { type Batch, batchOf, coefficientOfVariation, photoIdentity } from './batch.ts'
import { scoreListing } from './score.ts'
import type { ScoringContext } from './scoring-context.ts'

const now = new Date('2026-06-15T12:00:00Z')

/** An account whose opening day is known. */
const openedDaysAgo = (days: number) => {
  const date = new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10)
  return { earliest: date, latest: date }
}
const openedOrUnknown = (days: number | null) => (days === null ? null : openedDaysAgo(days))

const listing: Listing = {
  platform: 'marketplace',
  platformListingId: '110000000001',
  title: 'Mirrorless camera body',
  price: 100,
  priceHigh: null,
  currency: 'USD',
  condition: 'pre-owned',
  sellerPlatformId: 'ada',
  url: 'http://localhost/itm/110000000001',
  photoUrls: [],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
}

const seller: Seller = {
  platform: 'marketplace',
  platformSellerId: 'ada',
  username: 'ada',
  accountOpened: openedDaysAgo(2000),
  feedbackCount: 500,
  feedbackRatio: 0.99,
  categoryHistory: { ELECTRONICS: 40 },
}

const calm: Batch = { priceVariation: { USD: 0.2 }, duplicatePhotos: [] }
const context: ScoringContext = {
  now,
  market: { median: 100, currency: 'USD', sampleCount: 12, asOf: '2026-06-15T11:00:00.000Z' },
  batch: calm,
  sightings: { timesSeen: 1, firstSeenAt: '2026-06-15T12:00:00.000Z', priceAtFirstSeen: null },
  blocked: false,
  provenance: {
    accountAsOf: '2026-06-14T00:00:00.000Z',
    feedbackAsOf: '2026-06-13T00:00:00.000Z',
    historyAsOf: '2026-06-12T00:00:00.000Z',
    historySource: 'marketplace',
  },
}

const score = (
  change: { listing?: Partial<Listing>; seller?: Partial<Seller> | null; context?: Partial<ScoringContext> } = {},
) =>
  scoreListing(
    { ...listing, ...change.listing },
    change.seller === null ? undefined : { ...seller, ...change.seller },
    { ...context, ...change.context },
  )

describe('signals', () => {
  test('a seasoned seller at the market price earns all points and no flag', () => {
    expect(score()).toMatchObject({
      compositeScore: 100,
      signalScores: {
        account_age: 20,
        feedback_count: 20,
        feedback_ratio: 20,
        price_vs_market: 20,
        category_history: 20,
      },
      hardFilters: [],
      softFlags: [],
      scoreIsPartial: false,
      scoreRange: { low: 100, high: 100 },
    })
  })

  test.each([
    [0, 0],
    [6, 0],
    [7, 5],
    [29, 5],
    [30, 10],
    [89, 10],
    [90, 15],
    [364, 15],
    [365, 20],
    [null, null],
  ])('an account %s days old earns %s', (accountAgeDays, points) => {
    expect(score({ seller: { accountOpened: openedOrUnknown(accountAgeDays) } }).signalScores.account_age).toBe(points)
  })

  test.each([
    [0, 0],
    [2, 0],
    [3, 5],
    [9, 5],
    [10, 10],
    [49, 10],
    [50, 15],
    [199, 15],
    [200, 20],
    [null, null],
  ])('%s feedbacks earn %s', (feedbackCount, points) => {
    expect(score({ seller: { feedbackCount } }).signalScores.feedback_count).toBe(points)
  })

  test.each([
    [0.79, 21, 0],
    [0.79, 20, 5],
    [0.8, 500, 5],
    [0.899, 500, 5],
    [0.9, 500, 10],
    [0.949, 500, 10],
    [0.95, 500, 15],
    [0.979, 500, 15],
    [0.98, 500, 20],
    [1, 1, 20],
    [0, 500, null],
    [0, 0, 5],
    [null, 500, null],
  ])('a ratio of %s over %s feedbacks earns %s', (feedbackRatio, feedbackCount, points) => {
    expect(score({ seller: { feedbackRatio, feedbackCount } }).signalScores.feedback_ratio).toBe(points)
  })

  test.each([
    [49.99, 0],
    [50, 5],
    [69.99, 5],
    [70, 10],
    [84.99, 10],
    [85, 20],
    [100, 20],
    [120, 20],
    [120.01, 15],
    [900, 15],
    [null, null],
  ])('a price of %s against a market price of 100 earns %s', (price, points) => {
    expect(score({ listing: { price } }).signalScores.price_vs_market).toBe(points)
  })

  // As binary fractions, these quotients lie beside the limits.
  test.each([
    [62.46, 52.05, 20],
    [44.37, 52.2, 20],
    [44.36, 52.2, 10],
  ])('a price of %s against a market price of %s earns %s', (price, median, points) => {
    const market = { median, currency: 'USD', sampleCount: 3, asOf: null }
    expect(score({ listing: { price }, context: { market } }).signalScores.price_vs_market).toBe(points)
  })

  test.each([
    [{}, null],
    [null, null],
    [{ VIDEO_GAMES: 0 }, 0],
    [{ VIDEO_GAMES: 4 }, 8],
    [{ VIDEO_GAMES: 2, ELECTRONICS: 3 }, 14],
    [{ CELL_PHONES: 19 }, 14],
    [{ CELL_PHONES: 20 }, 20],
  ])('a category history of %j earns %s', (categoryHistory, points) => {
    expect(score({ seller: { categoryHistory } }).signalScores.category_history).toBe(points)
  })

  test.each([
    ['there is no market price', { market: null }],
    ['the market price is zero', { market: { median: 0, currency: 'USD', sampleCount: 3, asOf: null } }],
    [
      'the market price is in another currency',
      { market: { median: 100, currency: 'EUR', sampleCount: 3, asOf: null } },
    ],
    ['the prices of the batch vary too much', { batch: { priceVariation: { USD: 0.6001 }, duplicatePhotos: [] } }],
  ])('the price earns nothing and is not suspicious when %s', (_, change) => {
    const cheap = score({ listing: { price: 1 }, context: change })
    expect(cheap.signalScores.price_vs_market).toBeNull()
    expect(cheap.softFlags).not.toContain('suspicious_price')
  })

  test('a variation of exactly 0.6 still allows the comparison', () => {
    const atLimit = { priceVariation: { USD: 0.6 }, duplicatePhotos: [] }
    expect(score({ context: { batch: atLimit } }).signalScores.price_vs_market).toBe(20)
  })

  test('a range of prices has no single price to compare', () => {
    expect(score({ listing: { price: 10, priceHigh: 90 } })).toMatchObject({
      signalScores: { price_vs_market: null },
      softFlags: [],
    })
  })
})

describe('an account whose opening month is known', () => {
  const flagsOn = (today: string, latest = '2026-06-30') =>
    score({
      seller: { accountOpened: { earliest: '2026-06-01', latest } },
      context: { now: new Date(`${today}T12:00:00Z`) },
    })

  test('is new until a week after the last day of the month', () => {
    expect(flagsOn('2026-06-22', '2026-06-22').hardFilters).toEqual(['new_account'])
    expect(flagsOn('2026-07-06').hardFilters).toEqual(['new_account'])
    expect(flagsOn('2026-07-07').hardFilters).toEqual([])
  })

  test('was opened no later than the day on which the month was first read', () => {
    expect(flagsOn('2026-06-11', '2026-06-05').hardFilters).toEqual(['new_account'])
    expect(flagsOn('2026-06-12', '2026-06-05').hardFilters).toEqual([])
  })

  test('is under 30 days old, and earns points accordingly, as long as it may be', () => {
    expect(flagsOn('2026-07-29')).toMatchObject({
      softFlags: ['account_under_30_days'],
      signalScores: { account_age: 5 },
    })
    expect(flagsOn('2026-07-30')).toMatchObject({ softFlags: [], signalScores: { account_age: 10 } })
  })

  test('has evidence that names the month and what is uncertain', () => {
    const texts = (today: string, latest?: string) => flagsOn(today, latest).evidence.map(({ text }) => text)
    expect(texts('2026-07-05')).toEqual(
      expect.arrayContaining([
        "The seller's account was opened in June 2026 and is 5 to 34 days old.",
        'The account was opened in June 2026: it is possibly less than a week old.',
        'The account was opened in June 2026: it is possibly less than a month old.',
      ]),
    )
    expect(texts('2026-06-04', '2026-06-04')).toContain(
      'The account was opened in June 2026: it is less than a week old.',
    )
  })
})

test('an account whose opening year is known has evidence that names the year', () => {
  const texts = score({ seller: { accountOpened: { earliest: '2014-01-01', latest: '2014-12-31' } } }).evidence
  expect(texts.map(({ text }) => text)).toContainEqual(expect.stringContaining('account was opened in 2014 and is'))
})

describe('composite', () => {
  test('missing signals are excluded from the composite and widen its range', () => {
    const partial = score({ seller: { accountOpened: null, categoryHistory: null }, context: { market: null } })
    expect(partial).toMatchObject({ compositeScore: 100, scoreIsPartial: true, scoreRange: { low: 40, high: 100 } })
  })

  test('halves are rounded up', () => {
    const half = score({
      seller: { accountOpened: openedDaysAgo(1), feedbackCount: 1, feedbackRatio: null, categoryHistory: null },
      listing: { price: 75 },
      context: { market: { median: 100, currency: 'USD', sampleCount: 5, asOf: null } },
    })
    // 0 + 0 + 10 of 60 is 16.67; with two of four signals at 5 it would be 12.5: checked below.
    expect(half.compositeScore).toBe(17)
    const exact = score({
      seller: {
        accountOpened: openedDaysAgo(10),
        feedbackCount: 5,
        feedbackRatio: null,
        categoryHistory: { ELECTRONICS: 0 },
      },
      listing: { price: 1 },
    })
    expect(exact.compositeScore).toBe(13)
  })

  test('an unknown seller scores 0 without any signals', () => {
    expect(score({ seller: null })).toMatchObject({
      compositeScore: 0,
      scoreIsPartial: true,
      signalScores: { account_age: null, price_vs_market: null },
      scoreRange: { low: 0, high: 100 },
    })
  })

  test('a seller without feedback is capped at 35, including the range', () => {
    expect(score({ seller: { feedbackCount: 0, feedbackRatio: null } })).toMatchObject({
      compositeScore: 35,
      scoreRange: { low: 35, high: 35 },
      softFlags: ['low_feedback', 'zero_feedback'],
    })
  })

  test('a seller without feedback scores the same whether their page shows 0 % or words', () => {
    const [shown, inWords] = [0, null].map((feedbackRatio) =>
      score({ seller: { feedbackCount: 0, feedbackRatio, accountOpened: null, categoryHistory: null } }),
    )
    expect(inWords).toEqual(shown)
    expect(inWords?.signalScores.feedback_ratio).toBe(5)
    const ofRatio = inWords?.improvements?.filter(({ signal }) => signal === 'feedback_ratio')
    expect(ofRatio?.map(({ text }) => text).join()).not.toContain('rises from')
  })

  test('a seller on the blocklist scores 0 regardless of the signals', () => {
    const blocked = score({ context: { blocked: { reason: 'sent a brick' } }, listing: { title: 'broken screen' } })
    expect(blocked).toMatchObject({
      compositeScore: 0,
      scoreRange: { low: 0, high: 0 },
      hardFilters: ['established_bad_actor'],
      softFlags: [],
      signalScores: { account_age: 20 },
    })
    expect(blocked.evidence.at(-1)).toMatchObject({
      source: 'blocklist',
      text: 'The seller is on the blocklist: sent a brick',
    })
  })
})

describe('flags', () => {
  const flags = (change: Parameters<typeof score>[0]) => {
    const { hardFilters, softFlags } = score(change)
    return [...hardFilters, ...softFlags]
  }

  test.each([
    ['an account of 6 days', { seller: { accountOpened: openedDaysAgo(6) } }, ['new_account', 'account_under_30_days']],
    ['an account of 7 days', { seller: { accountOpened: openedDaysAgo(7) } }, ['account_under_30_days']],
    ['an account of 30 days', { seller: { accountOpened: openedDaysAgo(30) } }, []],
    ['79 % of 21 feedbacks', { seller: { feedbackRatio: 0.79, feedbackCount: 21 } }, ['established_bad_actor']],
    ['79 % of 20 feedbacks', { seller: { feedbackRatio: 0.79, feedbackCount: 20 } }, []],
    ['80 % of 21 feedbacks', { seller: { feedbackRatio: 0.8, feedbackCount: 21 } }, []],
    ['9 feedbacks', { seller: { feedbackCount: 9 } }, ['low_feedback']],
    ['10 feedbacks', { seller: { feedbackCount: 10 } }, []],
    ['less than half the market price', { listing: { price: 49 } }, ['suspicious_price']],
    ['half the market price', { listing: { price: 50 } }, []],
    ['damage in the title', { listing: { title: 'Camera, cracked lens' } }, ['scratch_dent']],
    ['damage in the condition', { listing: { condition: 'for parts or not working' } }, ['scratch_dent']],
  ] as const)('%s', (_, change, expected) => {
    expect(flags(change)).toEqual(expected)
  })

  test.each([
    [5, 14, ['long_on_market']],
    [4, 14, []],
    [5, 13.9, []],
  ])('seen %s times over %s days', (timesSeen, age, expected) => {
    const firstSeenAt = new Date(now.getTime() - age * 86_400_000).toISOString()
    expect(flags({ context: { sightings: { timesSeen, firstSeenAt, priceAtFirstSeen: 100 } } })).toEqual(expected)
  })

  test.each([
    [79.99, 100, ['significant_price_drop']],
    [80, 100, []],
    [8.2, 10.25, []],
    [8.19, 10.25, ['significant_price_drop']],
    [79.99, 0, []],
    [79.99, null, []],
    [null, 100, []],
  ])('a price of %s that was first seen at %s', (price, priceAtFirstSeen, expected) => {
    const sightings = { timesSeen: 2, firstSeenAt: now.toISOString(), priceAtFirstSeen }
    expect(flags({ listing: { price }, context: { market: null, sightings } })).toEqual(expected)
  })

  test('a photo that another listing also has is flagged, except for retailers', () => {
    const batch = { priceVariation: {}, duplicatePhotos: [listing.platformListingId] }
    expect(flags({ context: { batch } })).toEqual(['duplicate_photo'])
    expect(flags({ seller: { feedbackCount: 999 }, context: { batch } })).toEqual(['duplicate_photo'])
    expect(flags({ seller: { feedbackCount: 1000 }, context: { batch } })).toEqual([])
    expect(score({ seller: { feedbackCount: 1000 }, context: { batch } }).photoHashDuplicate).toBe(true)
  })
})

describe('a photo that looks like that of another seller', () => {
  const photoMatch = {
    platformListingId: '130000000007',
    title: 'Camera with lens',
    distance: 3,
    seenAt: '2026-06-01T00:00:00.000Z',
  }

  test('is flagged with the other listing as evidence, except for retailers', () => {
    expect(score({ context: { photoMatch } }).softFlags).toContain('duplicate_photo')
    const retailer = { feedbackCount: 1000 }
    expect(score({ seller: retailer, context: { photoMatch } }).softFlags).not.toContain('duplicate_photo')
    const { evidence, photoHashDuplicate } = score({ context: { photoMatch } })
    expect(photoHashDuplicate).toBe(true)
    expect(evidence.find(({ signal }) => signal === 'duplicate_photo')).toEqual({
      signal: 'duplicate_photo',
      text: '"Camera with lens" (130000000007) of another seller shows nearly the same photo, and this seller has fewer than 1,000 feedbacks.',
      source: 'earlier searches',
      as_of: '2026-06-01T00:00:00.000Z',
    })
  })

  test('takes precedence over the same photo among the results, whose listing is not known', () => {
    const batch = { priceVariation: {}, duplicatePhotos: [listing.platformListingId] }
    const texts = score({ context: { batch, photoMatch: { ...photoMatch, distance: 0 } } }).evidence
    expect(texts.filter(({ signal }) => signal === 'duplicate_photo').map(({ text }) => text)).toEqual([
      expect.stringContaining('shows the same photo'),
    ])
  })
})

describe('evidence', () => {
  test('every signal, even a missing one, has a sentence with its source and age', () => {
    const { evidence } = score({ seller: { accountOpened: null } })
    expect(evidence.map(({ signal }) => signal)).toEqual([
      'account_age',
      'feedback_count',
      'feedback_ratio',
      'price_vs_market',
      'category_history',
    ])
    expect(evidence[0]).toEqual({
      signal: 'account_age',
      text: "The age of the seller's account is not known yet.",
      source: 'seller record',
      as_of: null,
    })
    expect(evidence[3]).toEqual({
      signal: 'price_vs_market',
      text: '100.00 USD is 100 % of the median of 12 completed sales, 100.00 USD.',
      source: 'completed sales',
      as_of: '2026-06-15T11:00:00.000Z',
    })
  })

  test.each([
    ['account_age', '2026-06-14T00:00:00.000Z'],
    ['feedback_count', '2026-06-13T00:00:00.000Z'],
    ['feedback_ratio', '2026-06-13T00:00:00.000Z'],
    ['category_history', '2026-06-12T00:00:00.000Z'],
  ])('%s is dated by the fact that it depends on', (signal, asOf) => {
    expect(score().evidence.find((sentence) => sentence.signal === signal)?.as_of).toBe(asOf)
  })

  test('a category history from earlier searches names its source', () => {
    const provenance = { ...context.provenance, historySource: 'own searches' } as const
    expect(score({ context: { provenance } }).evidence[4]).toEqual({
      signal: 'category_history',
      text: 'Your searches have found listings of the seller: 40 in electronics.',
      source: 'earlier searches',
      as_of: '2026-06-12T00:00:00.000Z',
    })
  })

  test('a share of positive feedback names what it proves at least', () => {
    expect(score({ seller: { feedbackCount: 10, feedbackRatio: 1 } }).evidence[2]?.text).toBe(
      '100 % of the feedback is positive: with 10 feedbacks, at least 72.2 % (95 % confidence).',
    )
  })

  test('a price names the interval of the median, the median of its condition, and a good deal', () => {
    const market = {
      ...context.market,
      median: 100,
      currency: 'USD',
      sampleCount: 12,
      asOf: null,
      interval: { low: 90, high: 115, level: 0.961 },
      strata: [{ condition: 'used', medianPrice: 80, sampleCount: 7 }],
      dealBelow: 100,
    }
    const [text, dearer, other] = [
      score({ context: { market, stratum: 'used' } }),
      score({ context: { market, stratum: 'used' }, listing: { price: 101 } }),
      score({ context: { market, stratum: 'new' } }),
    ].map(({ evidence }) => evidence[3]?.text)
    expect(text).toBe(
      '100.00 USD is 100 % of the median of 12 completed sales, 100.00 USD. The true median lies between 90.00 and 115.00 USD (96 %). It is 125 % of the median of 7 sales of used items, 80.00 USD. It is a good deal: below the cheapest quarter of the sales, and near the lowest price observed.',
    )
    expect(dearer).not.toContain('good deal')
    expect(other).not.toContain('used items')
  })

  test('large numbers are grouped, as pages show them', () => {
    const market = { median: 1132.5, currency: 'USD', sampleCount: 1200, asOf: null }
    const { evidence } = score({ context: { market }, seller: { feedbackCount: 74_000 }, listing: { price: 1073.99 } })
    expect(evidence[1]?.text).toBe('The seller has 74,000 feedbacks.')
    expect(evidence[3]?.text).toBe('1,073.99 USD is 94.8 % of the median of 1,200 completed sales, 1,132.50 USD.')
  })

  test('a market with two prices has no price signal, and the evidence names both', () => {
    const market = { median: 200, currency: 'USD', sampleCount: 12, asOf: null, modes: [100, 300] as const }
    const { signalScores, softFlags, evidence } = score({ context: { market }, listing: { price: 50 } })
    expect([signalScores.price_vs_market, softFlags]).toEqual([null, []])
    expect(evidence[3]?.text).toBe(
      'The completed sales have two prices, about 100.00 USD and 300.00 USD, so no single one is compared with.',
    )
  })

  test('a relisting and an unusual price of the seller are named, before the flags', () => {
    const comparison = {
      usualPrice: { median: 20, count: 9 },
      relistingOf: { id: '110000000000', lastSeenAt: '2026-05-20T00:00:00.000Z', by: 'photo' },
    } as const
    const { evidence, compositeScore } = score({ context: { comparison } })
    expect(compositeScore).toBe(100)
    expect(evidence.slice(5)).toEqual([
      {
        signal: 'relisted',
        text: 'The seller has listed the same photo before, as 110000000000: earlier prices and sightings do not count for this listing.',
        source: 'earlier searches',
        as_of: '2026-05-20T00:00:00.000Z',
      },
      {
        signal: 'seller_price',
        text: "100.00 USD is far above the seller's usual price, 20.00 USD, the median of 9 other listings.",
        source: 'earlier searches',
        as_of: now.toISOString(),
      },
    ])
    const usual = { usualPrice: { median: 60, count: 9 }, relistingOf: null }
    expect(score({ context: { comparison: usual } }).evidence).toHaveLength(5)
  })

  test('a flag quotes the words that raised it', () => {
    const { evidence } = score({ listing: { title: 'Camera with broken screen' } })
    expect(evidence.at(-1)).toMatchObject({
      signal: 'scratch_dent',
      text: 'The title contains "broken screen".',
      source: 'listing',
    })
  })
})

describe('improvements', () => {
  test('a score at its maximum has none', () => {
    expect(score().improvements).toEqual([])
  })

  test('each names the next threshold of a signal and the score that results, the largest gain first', () => {
    const { compositeScore, improvements } = score({
      seller: { accountOpened: openedDaysAgo(60), feedbackCount: 47, feedbackRatio: 0.93, categoryHistory: null },
      listing: { price: 60 },
    })
    expect(compositeScore).toBe(44)
    expect(improvements).toEqual(
      [
        { signal: 'account_age', text: "The seller's account becomes 90 days old, in 30 days.", composite_score: 50 },
        { signal: 'feedback_count', text: 'The seller receives 3 more, and has 50 feedbacks.', composite_score: 50 },
        {
          signal: 'feedback_ratio',
          text: 'The share of positive feedback rises from 93 % to 95 %.',
          composite_score: 50,
        },
        {
          signal: 'price_vs_market',
          text: 'The price is 70.00 USD (70 % of the market price) or more.',
          composite_score: 50,
        },
        {
          signal: 'category_history',
          text: 'The seller proves to have at least 20 listings in the counted categories.',
          composite_score: 55,
        },
      ].toSorted((a, b) => b.composite_score - a.composite_score),
    )
  })

  test('feedback lifts the cap of a seller without any', () => {
    const { improvements } = score({ seller: { feedbackCount: 0, feedbackRatio: null } })
    expect(improvements?.[0]).toMatchObject({ signal: 'feedback_count', composite_score: 70 })
  })

  test('a price above the usual range improves by falling', () => {
    const { improvements } = score({ listing: { price: 150 } })
    expect(improvements).toEqual([
      {
        signal: 'price_vs_market',
        text: 'The price falls to 120.00 USD (120 % of the market price) or less.',
        composite_score: 100,
      },
    ])
  })

  test('a listing with the price of a sentence earns the points of the sentence', () => {
    const market = (median: number) => ({ median, currency: 'USD', sampleCount: 40, asOf: null })
    const priceIn = (text = '') => Number(/[\d.]+/.exec(text)?.[0])
    for (const [median, price] of [
      [530.49, 319.99],
      [52.05, 80],
    ] as const) {
      const context = { market: market(median) }
      const [step] = score({ listing: { price }, context }).improvements ?? []
      const improved = score({ listing: { price: priceIn(step?.text) }, context })
      expect(improved.compositeScore, step?.text).toBe(step?.composite_score)
    }
  })

  test('a single listing is counted as one', () => {
    expect(score({ seller: { categoryHistory: { VIDEO_GAMES: 4 } } }).improvements).toEqual([
      {
        signal: 'category_history',
        text: '1 more listing of the seller is found, 5 in total.',
        composite_score: 94,
      },
    ])
  })

  test('a blocked seller would have to leave the blocklist, and an unknown one has none', () => {
    expect(score({ context: { blocked: { reason: null } } }).improvements).toEqual([
      { signal: 'established_bad_actor', text: 'The seller is removed from the blocklist.', composite_score: 100 },
    ])
    expect(score({ seller: null }).improvements).toEqual([])
  })
})

describe('batch', () => {
  const priced = (id: string, price: number | null, more: Partial<Listing> = {}): Listing => ({
    ...listing,
    platformListingId: id,
    price,
    ...more,
  })

  test('the variation is the population standard deviation over the mean, and null below two prices', () => {
    expect(coefficientOfVariation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2 / 5, 12)
    expect(coefficientOfVariation([7])).toBeNull()
    expect(batchOf([priced('1', 10)]).priceVariation).toEqual({ USD: null })
  })

  test('the variation is computed per currency, over single prices above zero', () => {
    const batch = batchOf([
      priced('1', 10),
      priced('2', 10),
      priced('3', null),
      priced('4', 0),
      priced('5', 900, { priceHigh: 990 }),
      priced('6', 5, { currency: 'EUR' }),
    ])
    expect(batch.priceVariation).toEqual({ USD: 0, EUR: null })
  })

  test('all but the first of listings with the same photo URL are duplicates, in any size', () => {
    const photo = (size: string) => ({ photoUrls: [`https://images.test/images/g/abc/${size}`] })
    const batch = batchOf([
      priced('1', 1, photo('s-l500.webp')),
      priced('2', 1, photo('s-l1600.jpg')),
      priced('3', 1),
      priced('4', 1),
    ])
    expect(batch.duplicatePhotos).toEqual(['2'])
    expect(photoIdentity('https://images.test/thumbs/images/g/abc/s-l225.jpg?set=1')).toBe('images.test/images/g/abc')
  })
})
