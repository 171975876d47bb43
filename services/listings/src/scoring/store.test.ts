import { openStore } from '@trellis/kit/store'
import { databases } from '@trellis/test/support/databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeListings } from '../found/store.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { scoreListing } from './score.ts'
import { findAnalysed, findScore, savePhotoAnalysis, saveScores, scoreOf } from './store.ts'

const listing = {
  platform: 'marketplace',
  platformListingId: '1',
  title: 'Camera',
  price: 10,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId: 'ada',
  url: 'https://site.test/itm/1',
  photoUrls: [],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
} as const

const scoreAt = (time: string) =>
  scoreListing(listing, undefined, {
    now: new Date(time),
    market: null,
    batch: { priceVariation: {}, duplicatePhotos: [] },
    sightings: { timesSeen: 1, firstSeenAt: time, priceAtFirstSeen: 10 },
    blocked: false,
    photoMatch: undefined,
    provenance: { accountAsOf: null, feedbackAsOf: null, historyAsOf: null, historySource: 'marketplace' },
    comparison: { usualPrice: null, relistingOf: null },
    stratum: null,
  })
const context = { priceVariation: null, hasDuplicatePhoto: false, compQuery: 'camera' }

describe.each(databases)('scores on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of listings', () => {
    const stack = new AsyncDisposableStack()
    let db: Awaited<ReturnType<typeof openStore<ListingsTables>>>['db']
    beforeAll(async () => {
      const database = stack.use(await start())
      const { location } = stack.use(await database.place({ name: 'listings', migrations }))
      db = stack.use(await openStore<ListingsTables>({ ...location, name: 'listings', migrations })).db
    })
    afterAll(() => stack.disposeAsync())

    test('are one for each listing, whose id stays, and saving one again preserves the photo analysis', async () => {
      await storeListings(db, { id: 's', userId: 'ann' }, [listing], new Date('2026-06-15T12:00:00Z'))
      const [before] = await saveScores(db, [{ listingId: 1, score: scoreAt('2026-06-15T12:00:00.000Z'), context }])
      await savePhotoAnalysis(db, 1, '{"is_stock_photo":true}')
      const [after] = await saveScores(db, [{ listingId: 1, score: scoreAt('2026-06-16T12:00:00.000Z'), context }])
      expect(before).toBeDefined()
      expect(after).toMatchObject({ id: before?.id, photo_analysis_json: '{"is_stock_photo":true}' })
      const stored = await findScore(db, 1)
      expect(stored?.photo_analysis_json).toBe('{"is_stock_photo":true}')
      expect(stored && scoreOf(stored).scoredAt).toBe('2026-06-16T12:00:00.000Z')
      expect(await findAnalysed(db, [1, 2])).toEqual(new Set([1]))
    })
  })
})
