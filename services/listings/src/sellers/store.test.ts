import { migrateStore, openStore, type Store } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeListings } from '../found/store.ts'
import type { AccountOpening, Listing, Seller } from '../records.ts'
import { sellerMessage } from '../results/wire.ts'
import { migrations } from '../schemas.ts'
import type { Tables } from '../store/tables.ts'
import { sellersForUser } from './for-user.ts'
import { findSellers, recordFacts, recordHistory, sellerOf, upsertSellers } from './store.ts'

const config = { platform: 'marketplace' }
const [first, later] = [new Date('2026-06-05T12:00:00Z'), new Date('2026-07-20T12:00:00Z')]

const ada: Seller = {
  platform: 'marketplace',
  platformSellerId: 'ada',
  username: 'ada',
  accountOpened: null,
  feedbackCount: 12,
  feedbackRatio: 0.9,
  categoryHistory: null,
}

const listing = (id: number, categoryName: string | null): Listing => ({
  platform: 'marketplace',
  platformListingId: `${130000000000 + id}`,
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
  categoryName,
})

const facts = { sellerNames: ['ada'], feedbackCount: null, feedbackRatio: null }

describe.each(databases)('sellers on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('the record of a seller', () => {
    const stack = new AsyncDisposableStack()
    let database: RunningDatabase
    let opened: Store<Tables>

    beforeAll(async () => {
      database = stack.use(await start())
    })
    afterAll(() => stack.disposeAsync())
    beforeEach(async () => {
      const { location } = stack.use(await database.place({ name: 'listings', migrations }))
      opened = await openStore<Tables>({ ...location, name: 'listings', migrations })
      await upsertSellers(opened.db, [ada], first)
      return () => opened.close()
    })

    test.each([
      [0, null],
      [3, 0],
    ])('of 0 % positive of %i feedbacks the share is shown as %j', async (feedbackCount, feedbackRatio) => {
      await upsertSellers(opened.db, [{ ...ada, feedbackCount, feedbackRatio: 0 }], later)
      const row = (await findSellers(opened.db, 'marketplace', ['ada'])).get('ada')
      expect(row && sellerMessage(row, later)).toMatchObject({ feedbackCount, feedbackRatio })
    })

    const row = async () => {
      const found = (await findSellers(opened.db, 'marketplace', ['ada'])).get('ada')
      if (found === undefined) throw new Error('The seller is gone.')
      return found
    }
    const dependencies = (now: Date) => ({ db: opened.db, config: config as never, now: () => now })
    const historyFor = async (user: string, now = later) =>
      (await sellersForUser(dependencies(now), user, ['ada'])).get('ada')

    test("has no category history from a user's finds, which only that user sees, always current", async () => {
      const store = (ids: readonly number[], search: string) =>
        storeListings(
          opened.db,
          { id: search, userId: 'one' },
          ids.map((id) => listing(id, 'Video Games')),
          first,
        )
      await store([1], 'a')
      expect(await historyFor('one')).toMatchObject({
        category_history_json: '{"VIDEO_GAMES":1}',
        history_source: 'own searches',
        history_read_at: later.toISOString(),
      })
      await store([1, 2, 3], 'b')
      expect(await historyFor('one')).toMatchObject({ category_history_json: '{"VIDEO_GAMES":3}' })
      expect(await historyFor('two')).toMatchObject({ category_history_json: null, history_source: null })
      expect(await row()).toMatchObject({ category_history_json: null })
    })

    test('prefers the category history of the own page to a derived one', async () => {
      await storeListings(opened.db, { id: 'a', userId: 'one' }, [listing(1, 'Video Games')], first)
      await recordHistory(opened.db, await row(), { ELECTRONICS: 40 }, first)
      expect(await historyFor('one')).toMatchObject({
        category_history_json: '{"ELECTRONICS":40}',
        history_source: 'marketplace',
        history_read_at: first.toISOString(),
      })
    })

    test('has for each fact the time when it was read', async () => {
      const accountOpened = { earliest: '2026-06-01', latest: '2026-06-05' }
      await recordFacts(opened.db, await row(), { ...facts, accountOpened }, { listingId: '1', now: first })
      await upsertSellers(opened.db, [{ ...ada, feedbackCount: 13 }], later)
      expect(await row()).toMatchObject({
        account_read_at: first.toISOString(),
        feedback_read_at: later.toISOString(),
        feedback_count: 13,
      })
      await upsertSellers(opened.db, [{ ...ada, feedbackCount: null, feedbackRatio: null }], new Date())
      expect(await row()).toMatchObject({ feedback_read_at: later.toISOString(), feedback_count: 13 })
    })

    test('retains the day on which a month was first read', async () => {
      const read = async (latest: string, now: Date) => {
        const accountOpened = { earliest: '2026-06-01', latest }
        await recordFacts(opened.db, await row(), { ...facts, accountOpened }, { listingId: '1', now })
        return sellerOf(await row()).accountOpened
      }
      expect(await read('2026-06-05', first)).toEqual({ earliest: '2026-06-01', latest: '2026-06-05' })
      expect(await read('2026-06-30', later)).toEqual({ earliest: '2026-06-01', latest: '2026-06-05' })
    })

    test('retains a day when a later page shows the month, and takes another month as a correction', async () => {
      const read = async (accountOpened: AccountOpening) => {
        await recordFacts(opened.db, await row(), { ...facts, accountOpened }, { listingId: '1', now: first })
        return sellerOf(await row()).accountOpened
      }
      const onDay = { earliest: '2015-03-12', latest: '2015-03-12' }
      const inMonth = { earliest: '2015-03-01', latest: '2015-03-31' }
      const other = { earliest: '2015-04-01', latest: '2015-04-30' }
      expect(await read(inMonth)).toEqual(inMonth)
      expect(await read(onDay)).toEqual(onDay)
      expect(await read(inMonth)).toEqual(onDay)
      expect(await read(other)).toEqual(other)
    })

    test('retains a checked join date when a later page shows none', async () => {
      const accountOpened = { earliest: '2015-03-01', latest: '2015-03-31' }
      await recordFacts(opened.db, await row(), { ...facts, accountOpened }, { listingId: '1', now: first })
      await recordFacts(opened.db, await row(), { ...facts, accountOpened: null }, { listingId: '2', now: later })
      expect(sellerOf(await row()).accountOpened).toEqual(accountOpened)
    })

    test('of an earlier version retains its join date as a month, and drops a history of unknown source', async () => {
      await using place = await database.place({ name: 'listings', migrations: migrations.slice(0, 2) })
      const schema = { name: 'listings', migrations: migrations.slice(0, 2) }
      {
        await using before = await openStore<Tables>({ ...place.location, ...schema })
        const old = {
          platform: 'marketplace',
          platform_seller_id: 'ada',
          username: 'ada',
          account_opened_on: '2015-02-01',
          feedback_count: 12,
          feedback_ratio: 0.9,
          category_history_json: '{"ELECTRONICS":1}',
          fetched_at: '2026-06-05T12:00:00.000Z',
        }
        await before.db
          .insertInto('sellers')
          .values(old as never)
          .execute()
      }
      await migrateStore(place.location, { name: 'listings', migrations })
      await using after = await openStore<Tables>({ ...place.location, name: 'listings', migrations })
      const row = (await findSellers(after.db, 'marketplace', ['ada'])).get('ada')
      expect(row).toMatchObject({ account_listing_id: null, feedback_read_at: '2026-06-05T12:00:00.000Z' })
      expect(row && sellerOf(row)).toMatchObject({
        accountOpened: { earliest: '2015-02-01', latest: '2015-02-28' },
        feedbackCount: 12,
        feedbackRatio: 0.9,
        categoryHistory: null,
      })
    })
  })

  describe.skipIf(isMissing)('listings that an earlier version stored', () => {
    test('lose photos without a web address, and are deleted if they have none themselves', async () => {
      await using database = await start()
      const older = migrations.slice(0, 3)
      await using place = await database.place({ name: 'listings', migrations: older })
      const photos = [
        'https://site.test/1.jpg',
        'javascript:alert(1)',
        'data:image/svg+xml,<svg/>',
        'HTTP://site.test/2.jpg',
        '//3',
      ]
      {
        await using before = await openStore<Tables>({ ...place.location, name: 'listings', migrations: older })
        const stored = [
          { ...listing(1, null), photoUrls: photos },
          { ...listing(2, null), url: 'javascript:alert(1)' },
          { ...listing(3, null), photoUrls: ['https://site.test/3.jpg'] },
        ]
        await storeListings(before.db, { id: 'a', userId: 'one' }, stored, first)
      }
      await migrateStore(place.location, { name: 'listings', migrations })
      await using after = await openStore<Tables>({ ...place.location, name: 'listings', migrations })
      const rows = await after.db.selectFrom('listings').selectAll().orderBy('id').execute()
      expect(rows.map((row) => [row.platform_listing_id, JSON.parse(row.photo_urls_json)])).toEqual([
        ['130000000001', ['https://site.test/1.jpg', 'HTTP://site.test/2.jpg']],
        ['130000000003', ['https://site.test/3.jpg']],
      ])
      for (const table of ['listing_prices', 'listing_sightings'] as const)
        expect(await after.db.selectFrom(table).select('listing_id').orderBy('id').execute()).toEqual(
          rows.map(({ id }) => ({ listing_id: id })),
        )
    })
  })
})
