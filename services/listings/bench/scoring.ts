import { summariseSales } from '../src/comps/comps.ts'
import { createRelevance } from '../src/comps/relevance.ts'
import { families } from '../src/marketplace/demo/catalogue.ts'
import { createInventory, type DemoItem } from '../src/marketplace/demo/inventory.ts'
import type { Listing, Seller } from '../src/records.ts'
import { batchOf } from '../src/scoring/batch.ts'
import { scoreListing } from '../src/scoring/score.ts'

/** Speed of scoring and of market prices, in CPU time after a warm-up. */
export type ScoringFigures = {
  readonly listings: number
  /** For all listings, batch included. */
  readonly scoringMilliseconds: number
  readonly scoresPerSecond: number
  /** Titles of sales judged per second. */
  readonly judgedPerSecond: number
  /** One market price from 60 sales, in milliseconds. */
  readonly priceMilliseconds: number
}

const now = new Date('2026-06-15T12:00:00Z')

const listingOf = (item: DemoItem): Listing => ({
  platform: 'marketplace',
  platformListingId: item.id,
  title: item.title,
  price: item.price,
  priceHigh: item.highPrice ?? null,
  currency: 'USD',
  condition: item.condition.toLowerCase(),
  sellerPlatformId: item.seller.name,
  url: `http://demo.test/itm/${item.id}`,
  photoUrls: [`http://demo.test/images/g/${item.photo}/s-l500.png`],
  listingAgeDays: 0,
  buyingFormat: item.bids === undefined ? 'fixed_price' : 'auction',
  endsAt: null,
  bidCount: item.bids ?? null,
  categoryName: item.family.category.path.at(-1) ?? null,
})

const sellerOf = ({ seller }: DemoItem): Seller => {
  const month = `${seller.joined.year}-${String(seller.joined.month).padStart(2, '0')}`
  return {
    platform: 'marketplace',
    platformSellerId: seller.name,
    username: seller.name,
    accountOpened: { earliest: `${month}-01`, latest: `${month}-28` },
    feedbackCount: seller.feedbackCount,
    feedbackRatio: (seller.positivePercent ?? 0) / 100,
    categoryHistory: { ELECTRONICS: 12 },
  }
}

const scoreAll = (items: readonly DemoItem[]): number => {
  const listings = items.map(listingOf)
  const batch = batchOf(listings)
  const market = { median: 400, currency: 'USD', sampleCount: 40, asOf: now.toISOString() }
  const provenance = { accountAsOf: null, feedbackAsOf: null, historyAsOf: null, historySource: 'marketplace' } as const
  const sightings = { timesSeen: 1, firstSeenAt: now.toISOString(), priceAtFirstSeen: null }
  const context = { now, market, batch, sightings, blocked: false, provenance } as const
  return items.reduce((sum, item, index) => {
    const listing = listings[index]
    return listing === undefined ? sum : sum + scoreListing(listing, sellerOf(item), context).compositeScore
  }, 0)
}

/** CPU time of this process, the figure that other work on the machine disturbs least. */
const milliseconds = (work: () => unknown, rounds: number): number => {
  work()
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / rounds
}

/** Scores the demo's listings, and computes market prices of its models. */
export const measureScoring = (count = 10_000, rounds = 3): ScoringFigures => {
  const { active, over } = createInventory({ seed: 1, now, active: count, over: 3_000 })
  const scoringMilliseconds = milliseconds(() => scoreAll(active), rounds)
  const queries = families.flatMap(({ models }) => models.map(([name]) => name.toLowerCase()))
  const sales = over.map((item) => ({
    price: item.price,
    currency: 'USD',
    soldOn: null,
    title: item.title,
    condition: item.condition.toLowerCase(),
  }))
  const relevance = createRelevance(queries[0] ?? '')
  const judging = milliseconds(() => sales.map(({ title, condition }) => relevance.judge(title, condition)), rounds)
  const pricing = milliseconds(
    () => queries.map((query, index) => summariseSales(sales.slice(index * 40, index * 40 + 60), query, now)),
    rounds,
  )
  return {
    listings: active.length,
    scoringMilliseconds,
    scoresPerSecond: (active.length / scoringMilliseconds) * 1000,
    judgedPerSecond: (sales.length / judging) * 1000,
    priceMilliseconds: pricing / queries.length,
  }
}
