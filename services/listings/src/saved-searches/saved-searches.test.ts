import { anonymous, type Caller, type RpcClient } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHeldSite } from '../../test/held-site.ts'
import { openService } from '../../test/open-service.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { maxSavedSearches } from './rpc.ts'
import { deleteOfUnseenGuests } from './store.ts'

type Client = RpcClient<typeof SavedSearchesServiceDefinition>

const as = (userId: string, tier: Caller['tier'], kind: Caller['kind'] = 'account'): { caller: Caller } => ({
  caller: { userId, kind, tier },
})
const guest = (name: string) => as(`guest:${name}`, 'free', 'guest')
const laptops = { name: 'Laptops', query: 'thinkpad', filtersJson: '{"max_price":600}' }

const statusOf = (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 200,
    (error: { status: number }) => error.status,
  )

describe.each(databases)('saved searches on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of users', () => {
    const stack = new AsyncDisposableStack()
    let database: RunningDatabase
    let client: Client
    /** A second replica on the same database. */
    let other: Client
    let store: Parameters<typeof openService>[0]

    beforeAll(async () => {
      database = stack.use(await start())
      store = stack.use(await database.place({ name: 'listings', migrations })).location
      const site = await openHeldSite(undefined)
      stack.defer(() => site.close())
      const open = async () => {
        const service = await openService(store, { ...site.environment, MARKETPLACE_PLATFORM: 'ebay' })
        stack.defer(() => service.close())
        return service.connect(SavedSearchesServiceDefinition)
      }
      client = await open()
      other = await open()
    })
    afterAll(() => stack.disposeAsync())

    const listOf = async (who: { caller: Caller }) => (await client.listSavedSearches({}, who)).savedSearches

    test('are created on the configured platform, listed newest first and deleted', async () => {
      const ann = as('ann', 'paid')
      const first = await client.createSavedSearch(laptops, ann)
      expect(first).toEqual({
        id: expect.any(Number),
        ...laptops,
        platform: 'ebay',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        lastRunAt: undefined,
        monitorEnabled: false,
        pollIntervalMin: 60,
        minTrustScore: 60,
        lastCheckedAt: undefined,
        lastError: undefined,
        nextCheckAt: undefined,
      })
      const second = await client.createSavedSearch({ name: ' Lenses ', query: ' lens ' }, ann)
      expect(second).toMatchObject({ name: 'Lenses', query: 'lens', filtersJson: '{}' })
      expect((await listOf(ann)).map(({ id }) => id)).toEqual([second.id, first.id])
      await client.deleteSavedSearch({ savedId: first.id }, ann)
      await client.deleteSavedSearch({ savedId: first.id }, ann)
      expect((await listOf(ann)).map(({ id }) => id)).toEqual([second.id])
    })

    test('record when they were run; an unknown one is 404', async () => {
      const bob = as('bob', 'paid')
      const { id } = await client.createSavedSearch(laptops, bob)
      expect(await client.runSavedSearch({ savedId: id }, bob)).toEqual({ ok: true })
      expect((await listOf(bob))[0]?.lastRunAt).toMatch(/^\d{4}-.*Z$/)
      expect(await statusOf(client.runSavedSearch({ savedId: 999_999 }, bob))).toBe(404)
    })

    test('of another user are neither listed, changed nor deleted', async () => {
      const eve = as('eve', 'premium')
      const { id } = await client.createSavedSearch(laptops, as('victim', 'paid'))
      expect(await statusOf(client.runSavedSearch({ savedId: id }, eve))).toBe(404)
      expect(await statusOf(client.setMonitor({ savedId: id, monitorEnabled: true }, eve))).toBe(404)
      await client.deleteSavedSearch({ savedId: id }, eve)
      expect(await listOf(eve)).toEqual([])
      expect(await listOf(as('victim', 'paid'))).toHaveLength(1)
    })

    test('of a visitor without a session are an empty list, and writing is 403', async () => {
      const visitor = { caller: anonymous }
      expect(await listOf(visitor)).toEqual([])
      const writes = [
        client.createSavedSearch(laptops, visitor),
        client.deleteSavedSearch({ savedId: 1 }, visitor),
        client.runSavedSearch({ savedId: 1 }, visitor),
        client.setMonitor({ savedId: 1, monitorEnabled: false }, visitor),
      ]
      expect(await Promise.all(writes.map(statusOf))).toEqual([403, 403, 403, 403])
    })

    test.each([
      ['a list', '[]'],
      ['no JSON', '{'],
      ['null', 'null'],
      ['a text', '"x"'],
    ])('whose filters are %s are 422', async (_what, filtersJson) => {
      const created = client.createSavedSearch({ ...laptops, filtersJson }, as('wrong', 'paid'))
      await expect(created).rejects.toMatchObject({ status: 422, message: expect.stringContaining('JSON text') })
    })

    test('with a filter that no search could use are 422, and those of pages are saved as they are', async () => {
      const priced = (max_price: unknown) =>
        client.createSavedSearch(
          { ...laptops, filtersJson: JSON.stringify({ max_price, sort: 'trust' }) },
          as('wrong', 'paid'),
        )
      await expect(priced('cheap')).rejects.toMatchObject({
        status: 422,
        message: 'The filter "max_price" must be a number.',
      })
      expect((await priced('600')).filtersJson).toBe('{"max_price":"600","sort":"trust"}')
    })

    test('with a blank name or query are 422', async () => {
      const wrong = as('wrong', 'paid')
      expect(await statusOf(client.createSavedSearch({ ...laptops, name: ' ' }, wrong))).toBe(422)
      expect(await statusOf(client.createSavedSearch({ ...laptops, query: '\t' }, wrong))).toBe(422)
    })

    test('are limited to three in the free tier, however many are created at once on two replicas', async () => {
      const free = guest('free')
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          statusOf((index % 2 ? client : other).createSavedSearch({ ...laptops, name: `${index}` }, free)),
        ),
      )
      expect(created.toSorted((a, b) => a - b)).toEqual([200, 200, 200, ...Array.from({ length: 17 }, () => 403)])
      const [newest] = await listOf(free)
      await client.deleteSavedSearch({ savedId: newest?.id ?? 0 }, free)
      expect(await statusOf(client.createSavedSearch(laptops, free))).toBe(200)
    })

    test('are limited to 1,000 in other tiers', async () => {
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      const row = {
        user_id: 'many',
        tier: 'ultra',
        name: 'x',
        query: 'x',
        platform: 'ebay',
        filters_json: '{}',
        created_at: '2026-01-01T00:00:00.000Z',
        used_at: '2026-01-01',
        monitor_enabled: 0,
        poll_interval_min: 60,
        min_trust_score: 60,
        failures: 0,
      }
      for (let left = maxSavedSearches; left > 0; left -= 100)
        await opened.db
          .insertInto('saved_searches')
          .values(Array.from({ length: 100 }, () => row))
          .execute()
      await expect(client.createSavedSearch(laptops, as('many', 'ultra'))).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('1000 saved searches'),
      })
    })

    test('of guests are deleted 30 days after their last use, those of others are not', async () => {
      const seen = guest('seen')
      const unseen = guest('unseen')
      for (const who of [seen, unseen, as('old', 'paid')]) await client.createSavedSearch(laptops, who)
      await using opened = await openStore<ListingsTables>({ ...store, name: 'listings', migrations })
      const { db } = opened
      const users = ['guest:seen', 'guest:unseen', 'old']
      await db.updateTable('saved_searches').set({ used_at: '2026-01-01' }).where('user_id', 'in', users).execute()
      await listOf(seen)
      await deleteOfUnseenGuests(db, new Date('2026-01-02T00:00:00Z'))
      const left = await db.selectFrom('saved_searches').select('user_id').where('user_id', 'in', users).execute()
      expect(left.map(({ user_id }) => user_id).toSorted()).toEqual(['guest:seen', 'old'])
    })

    describe('with a monitor', () => {
      const saved = async (who: { caller: Caller }, count: number) => {
        const ids: number[] = []
        for (let index = 0; index < count; index += 1) ids.push((await client.createSavedSearch(laptops, who)).id)
        return ids
      }

      test('clamp its interval to 15..1440 minutes and its threshold to 0..100', async () => {
        const who = as('clamped', 'ultra')
        const [savedId = 0] = await saved(who, 1)
        expect(await client.setMonitor({ savedId, pollIntervalMin: 1, minTrustScore: -5 }, who)).toMatchObject({
          monitorEnabled: false,
          pollIntervalMin: 15,
          minTrustScore: 0,
        })
        expect(await client.setMonitor({ savedId, pollIntervalMin: 9_999, minTrustScore: 101 }, who)).toMatchObject({
          pollIntervalMin: 1440,
          minTrustScore: 100,
          nextCheckAt: undefined,
        })
        const on = await client.setMonitor({ savedId, monitorEnabled: true }, who)
        expect(on).toMatchObject({ monitorEnabled: true, pollIntervalMin: 1440, minTrustScore: 100 })
        expect(on.nextCheckAt).toMatch(/^\d{4}-.*Z$/)
        const off = await client.setMonitor({ savedId, monitorEnabled: false }, who)
        expect(off).toMatchObject({ monitorEnabled: false, nextCheckAt: undefined })
      })

      test('need a tier with monitors; without one they can only be switched off', async () => {
        const who = guest('without')
        const [savedId = 0] = await saved(who, 1)
        await expect(client.setMonitor({ savedId, monitorEnabled: true }, who)).rejects.toMatchObject({ status: 403 })
        expect(await statusOf(client.setMonitor({ savedId }, who))).toBe(403)
        expect(await statusOf(client.setMonitor({ savedId, monitorEnabled: false }, who))).toBe(200)
      })

      test('are limited to five in the paid tier, however many are switched on at once on two replicas', async () => {
        const who = as('paid', 'paid')
        const ids = await saved(who, 8)
        const switched = ids.map((savedId, index) =>
          statusOf((index % 2 ? client : other).setMonitor({ savedId, monitorEnabled: true }, who)),
        )
        expect((await Promise.all(switched)).filter((status) => status === 200)).toHaveLength(5)
        const monitored = (await listOf(who)).filter(({ monitorEnabled }) => monitorEnabled)
        expect(monitored).toHaveLength(5)
        // One that is on already may be changed at the limit.
        expect(await statusOf(client.setMonitor({ savedId: monitored[0]?.id ?? 0, monitorEnabled: true }, who))).toBe(
          200,
        )
        for (const { id } of monitored) await client.setMonitor({ savedId: id, monitorEnabled: false }, who)
      })

      test('are limited to 25 in the premium tier', async () => {
        const who = as('premium', 'premium')
        const ids = await saved(who, 26)
        const statuses: number[] = []
        for (const savedId of ids)
          statuses.push(await statusOf(client.setMonitor({ savedId, monitorEnabled: true }, who)))
        expect(statuses).toEqual([...Array.from({ length: 25 }, () => 200), 403])
        for (const savedId of ids) await client.deleteSavedSearch({ savedId }, who)
      })
    })
  })
})
