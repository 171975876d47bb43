import { expect, test } from 'vitest'
import type { FoundListings, Listing, Seller } from '../records.ts'
import { createJoiner, splitFound } from './found-parts.ts'
import { encodeMessage, type WorkerOutput } from './messages.ts'

const listing = (index: number): Listing => ({
  platform: 'marketplace',
  platformListingId: `v1|${index}|0`,
  title: 'A title of the greatest length that the marketplace allows, which is eighty, all',
  price: 1_234.56,
  priceHigh: null,
  currency: 'USD',
  condition: 'very good - refurbished',
  sellerPlatformId: `seller${index}`,
  url: 'https://www.marketplace.test/itm/1234567890123?hash=item1c2d3e4f5a:g:AbCdEfGhIjKlMnOp',
  photoUrls: Array.from({ length: 8 }, () => 'https://images.marketplace.test/images/g/AbCdEfGhIjKlMnOp/s-l1600.webp'),
  listingAgeDays: 10,
  buyingFormat: 'auction',
  endsAt: '2026-06-15T12:00:00.000Z',
  bidCount: 3,
  categoryName: 'Computers/Tablets & Networking',
})
const seller = (index: number): Seller => ({
  platform: 'marketplace',
  platformSellerId: `seller${index}`,
  username: `seller${index}`,
  accountOpened: null,
  feedbackCount: 12_345,
  feedbackRatio: 0.995,
  categoryHistory: null,
})
const found = (listings: number, sellers = listings): FoundListings => ({
  listings: Array.from({ length: listings }, (_, index) => listing(index)),
  sellers: Array.from({ length: sellers }, (_, index) => seller(index)),
  usableShare: 0.9,
})

const joined = (outputs: readonly WorkerOutput[]) => {
  const { join } = createJoiner()
  return outputs.map(join).filter((output) => output !== undefined)
}

test.each([
  [0, 0],
  [1, 0],
  [150, 150],
  [151, 20],
  [5_000, 1_200],
])('%d listings of %d sellers arrive completely, in messages that any bus can carry', (listings, sellers) => {
  const all = found(listings, sellers)
  const outputs = splitFound(all)
  for (const output of outputs) expect(encodeMessage(output).length).toBeLessThan(512 * 1024)
  expect(joined(outputs)).toEqual([{ kind: 'found', ...all, toCome: 0 }])
})

test('parts from before a restart of the run are dropped', () => {
  const joiner = createJoiner()
  const [first] = splitFound(found(400))
  if (first) expect(joiner.join(first)).toBeUndefined()
  joiner.begin()
  const [whole] = splitFound(found(2))
  expect(whole && joiner.join(whole)).toMatchObject({ listings: found(2).listings })
})

test('other outputs pass unchanged', () => {
  const sales = { kind: 'sales', query: 'camera', sales: [], failure: null } as const
  expect(joined([sales])).toEqual([sales])
})
