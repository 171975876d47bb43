import { describe, expect, test } from 'vitest'
import { compareWithSellers, type SellersListing } from './seller-listings.ts'

const listing = (id: string, change: Partial<SellersListing> = {}): SellersListing => ({
  id,
  title: `Camera ${id}`,
  price: 100,
  currency: 'USD',
  photo: `https://images.test/images/g/${id}/s-l500.webp`,
  firstSeenAt: '2026-06-10T00:00:00.000Z',
  lastSeenAt: '2026-06-10T00:00:00.000Z',
  ...change,
})
const gone = { firstSeenAt: '2026-05-01T00:00:00.000Z', lastSeenAt: '2026-05-20T00:00:00.000Z' }

describe('relisting', () => {
  test('is the same title or photo under a new id, after the earlier listing was gone', () => {
    const now = listing('2', { title: 'CANON R6, body!' })
    expect(compareWithSellers(now, [now, listing('1', { title: 'Canon R6 body', ...gone })]).relistingOf).toEqual({
      id: '1',
      lastSeenAt: gone.lastSeenAt,
      by: 'title',
    })
    const photo = 'https://images.test/images/g/2/s-l1600.jpg'
    expect(compareWithSellers(now, [listing('1', { photo, ...gone })]).relistingOf).toMatchObject({ by: 'photo' })
  })

  test('is not a listing that is still offered, nor another thing', () => {
    const now = listing('2', { title: 'Canon R6' })
    expect(compareWithSellers(now, [listing('1', { title: 'Canon R6' })]).relistingOf).toBeNull()
    expect(compareWithSellers(now, [listing('1', gone)]).relistingOf).toBeNull()
    expect(
      compareWithSellers(listing('2', { photo: undefined }), [listing('1', { ...gone, photo: undefined })]).relistingOf,
    ).toBeNull()
  })
})

test("the seller's usual price is the median of at least five others in the same currency", () => {
  const others = [10, 20, 30, 40, 500].map((price, index) => listing(`o${index}`, { price }))
  expect(compareWithSellers(listing('1'), others).usualPrice).toEqual({ median: 30, count: 5 })
  expect(compareWithSellers(listing('1'), others.slice(1)).usualPrice).toBeNull()
  expect(compareWithSellers(listing('1', { currency: 'EUR' }), others).usualPrice).toBeNull()
  expect(compareWithSellers(others[0] ?? listing('1'), others).usualPrice).toBeNull()
  const ranges = others.map((other) => ({ ...other, price: null }))
  expect(compareWithSellers(listing('1'), ranges).usualPrice).toBeNull()
})
