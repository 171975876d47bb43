import { readConfig } from '@trellis/kit/config'
import { silentLog } from '@trellis/kit/telemetry'
import { databases } from '@trellis/test/support/databases'
import { describe, expect, test } from 'vitest'
import { useEmptyTables } from '../../test/empty-tables.ts'
import { addEntries } from '../blocklist/store.ts'
import { summariseSales } from '../comps/comps.ts'
import { saveComp } from '../comps/store.ts'
import { listingsConfig } from '../config.ts'
import { listingTables } from '../found/listing-tables.ts'
import { storeListings } from '../found/store.ts'
import { openLeases } from '../leases.ts'
import { photoTaskType, queueTasks } from '../photo-analysis/tasks.ts'
import { recordPhotoHash } from '../photo-hashes/store.ts'
import { writePreference } from '../preferences/store.ts'
import type { Listing } from '../records.ts'
import { addReports } from '../reported/store.ts'
import { upsertSellers } from '../sellers/store.ts'
import { deleteListings, surplusOf, usersBeyond } from './delete-listings.ts'
import { sweepOnce } from './open-retention.ts'
import { trimPriceChanges } from './other-rows.ts'

const now = new Date('2026-06-15T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const never = new AbortController().signal

const listing = (id: number, price = 10): Listing => ({
  platform: 'marketplace',
  platformListingId: `${130000000000 + id}`,
  title: `Camera ${id}`,
  price,
  priceHigh: null,
  currency: 'USD',
  condition: '',
  sellerPlatformId: 'ada',
  url: 'https://site.test/itm/1',
  photoUrls: [`https://images.test/${id}.jpg`],
  listingAgeDays: 0,
  buyingFormat: 'fixed_price',
  endsAt: null,
  bidCount: null,
  categoryName: null,
})

describe.each(databases)('retention on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of rows', () => {
    const tables = useEmptyTables(start)

    /** Stores a listing that a search of a user found a number of days ago, with all that belongs to it. */
    const find = async (userId: string, id: number, days: number) => {
      const at = daysAgo(days)
      const [row] = await storeListings(tables.db, { id: `${userId} ${days}`, userId }, [listing(id)], at)
      if (row === undefined) throw new Error('The listing was not stored.')
      const photoUrl = `https://images.test/${id}.jpg`
      await recordPhotoHash(tables.db, { listing: row, photoUrl, hash: 'ffff0000ffff0000', now: at })
      const score = { score_json: '{}', composite_score: 1, context_json: '{}', scored_at: at.toISOString() }
      await tables.db
        .insertInto('trust_scores')
        .values({ listing_id: row.id, ...score })
        .execute()
      const parameters = { photo_url: photoUrl, listing_title: row.title, user_id: userId }
      await queueTasks(tables.db, [{ jobId: row.id, stage: 'hash', parameters }], at)
      return row.id
    }
    const sweep = (environment: Record<string, string> = {}, leases = openLeases(tables.db, () => now)) =>
      sweepOnce({
        config: readConfig(listingsConfig, environment),
        db: tables.db,
        leases,
        log: silentLog,
        now: () => now,
        signal: never,
      })
    const left = async () =>
      (await tables.db.selectFrom('listings').select('id').orderBy('id').execute()).map(({ id }) => id)

    test("deletes a guest's listings after 30 days, a user's after a year, with everything about them", async () => {
      const gone = [await find('guest:ada', 1, 31), await find('bob', 1, 366)]
      const remaining = [await find('guest:ada', 2, 29), await find('bob', 2, 364), await find('bob', 3, 31)]
      await sweep()
      expect(await left()).toEqual(remaining)
      for (const table of listingTables) {
        const rows = await tables.db.selectFrom(table).select('listing_id').execute()
        expect(rows.map(({ listing_id }) => listing_id).toSorted((a, b) => a - b)).toEqual(remaining)
      }
      const tasks = await tables.db.selectFrom('background_tasks').select('job_id').execute()
      expect(tasks.map(({ job_id }) => job_id)).not.toEqual(expect.arrayContaining([gone[0]]))
      expect(tasks).toHaveLength(remaining.length)
    })

    test('counts from the last search that found a listing', async () => {
      const id = await find('guest:ada', 1, 40)
      await storeListings(tables.db, { id: 'again', userId: 'guest:ada' }, [listing(1)], daysAgo(2))
      await sweep()
      expect(await left()).toEqual([id])
    })

    test('has the configured periods, and none for users with 0', async () => {
      const remaining = await find('bob', 1, 4_000)
      await find('guest:ada', 1, 3)
      await sweep({ LISTINGS_RETENTION_DAYS: '0', LISTINGS_GUEST_RETENTION_DAYS: '2' })
      expect(await left()).toEqual([remaining])
    })

    test('deletes the listings of a user beyond the maximum, those not found for longest first; a guest may have a tenth', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, index) => listing(index))
      await storeListings(tables.db, { id: 'first', userId: 'bob' }, many(1_050), daysAgo(2))
      await storeListings(tables.db, { id: 'second', userId: 'bob' }, many(700), daysAgo(1))
      await storeListings(tables.db, { id: 'third', userId: 'guest:ada' }, many(450), daysAgo(1))
      await storeListings(tables.db, { id: 'fourth', userId: 'eve' }, many(150), daysAgo(1))
      await sweep({ LISTINGS_USER_LISTINGS: '1000' })
      const counts = await tables.db
        .selectFrom('listings')
        .select(({ fn }) => ['user_id', fn.countAll().as('count')])
        .groupBy('user_id')
        .orderBy('user_id')
        .execute()
      expect(counts.map(({ user_id, count }) => [user_id, Number(count)])).toEqual([
        ['bob', 1_000],
        ['eve', 150],
        ['guest:ada', 100],
      ])
      const again = await tables.db
        .selectFrom('listings')
        .select('id')
        .where('user_id', '=', 'bob')
        .where('times_seen', '=', 2)
        .execute()
      expect(again).toHaveLength(700)
    })

    test('deletes sellers of whom no listing is left, and who were not found for 30 days', async () => {
      const seller = (platformSellerId: string) => ({
        platform: 'marketplace',
        platformSellerId,
        username: platformSellerId,
        accountOpened: null,
        feedbackCount: 4,
        feedbackRatio: 1,
        categoryHistory: null,
      })
      await upsertSellers(tables.db, [seller('ada'), seller('gone')], daysAgo(31))
      await upsertSellers(tables.db, [seller('recent')], daysAgo(29))
      await find('bob', 1, 31)
      await sweep()
      const sellers = await tables.db.selectFrom('sellers').select('username').orderBy('username').execute()
      expect(sellers.map(({ username }) => username)).toEqual(['ada', 'recent'])
    })

    test('deletes what guests have set, reported and imported, and not what users have', async () => {
      for (const userId of ['guest:ada', 'guest:new', 'bob']) {
        const at = daysAgo(userId === 'guest:new' ? 1 : 31)
        await writePreference(tables.db, userId, { path: 'affiliate.opt_out', value: true, now: at })
        await addReports(tables.db, { userId, platform: 'marketplace', now: at }, [
          { platformSellerId: 'x', username: null },
        ])
        const owner = userId === 'bob' ? '' : userId
        const entry = { platform: 'marketplace', platform_seller_id: 'x', username: 'x', reason: null }
        await addEntries(tables.db, owner, [{ ...entry, source: 'csv_import' }], at)
      }
      await sweep()
      const owners = async (table: 'preferences' | 'reported_sellers') =>
        (await tables.db.selectFrom(table).select('user_id').orderBy('user_id').execute()).map(({ user_id }) => user_id)
      expect(await owners('preferences')).toEqual(['bob', 'guest:new'])
      expect(await owners('reported_sellers')).toEqual(['bob', 'guest:new'])
      const blocked = await tables.db.selectFrom('blocklist').select('owner').orderBy('owner').execute()
      expect(blocked.map(({ owner }) => owner)).toEqual(['', 'guest:new'])
    })

    test('deletes expired market prices and ended tasks, and keeps those in use', async () => {
      const comp = summariseSales(
        [1, 2, 3].map(() => ({ price: 5, currency: 'USD', title: 'camera', soldOn: null })),
        'camera',
        now,
      )
      await saveComp(tables.db, 'marketplace', 'old camera', comp, daysAgo(401))
      await saveComp(tables.db, 'marketplace', 'camera', comp, daysAgo(0))
      const ids = [await find('bob', 1, 0), await find('bob', 2, 0)]
      await tables.db
        .updateTable('background_tasks')
        .set({ status: 'completed', updated_at: daysAgo(31).toISOString() })
        .where('task_type', '=', photoTaskType)
        .where('job_id', '=', ids[0] ?? 0)
        .execute()
      await sweep()
      expect((await tables.db.selectFrom('comps').select('query').execute()).map(({ query }) => query)).toEqual([
        'camera',
      ])
      expect(await tables.db.selectFrom('comp_snapshots').selectAll().execute()).toHaveLength(1)
      expect(
        (await tables.db.selectFrom('background_tasks').select('job_id').execute()).map((row) => row.job_id),
      ).toEqual([ids[1]])
    })

    test('bounds the price changes of a listing, of which the latest stay', async () => {
      for (const price of [1, 2, 3, 4, 5])
        await storeListings(tables.db, { id: `at ${price}`, userId: 'bob' }, [listing(1, price)], now)
      await storeListings(tables.db, { id: 'other', userId: 'bob' }, [listing(2)], now)
      await trimPriceChanges(tables.db, 2)
      const prices = await tables.db.selectFrom('listing_prices').select('price').orderBy('id').execute()
      expect(prices.map(({ price }) => price)).toEqual([4, 5, 10])
    })

    test('is applied by one replica at a time', async () => {
      await find('guest:ada', 1, 31)
      const leases = openLeases(tables.db, () => now)
      await using lease = await leases.take('retention', never)
      expect(lease).toBeDefined()
      await sweep({}, leases)
      expect(await left()).toHaveLength(1)
    })

    test('continues where it was interrupted', async () => {
      await storeListings(
        tables.db,
        { id: 'one', userId: 'bob' },
        Array.from({ length: 450 }, (_, index) => listing(index)),
        now,
      )
      const stop = new AbortController()
      const choose = surplusOf('bob', 10)
      await expect(
        deleteListings(
          tables.db,
          (transaction, limit) => {
            stop.abort(new Error('The service is shutting down.'))
            return choose(transaction, limit)
          },
          stop.signal,
        ),
      ).rejects.toThrow('shutting down')
      expect(await left()).toHaveLength(250)
      expect(await usersBeyond(tables.db, 10)).toEqual(['bob'])
      expect(await deleteListings(tables.db, choose, never)).toBe(240)
      expect(await usersBeyond(tables.db, 10)).toEqual([])
    })
  })
})
