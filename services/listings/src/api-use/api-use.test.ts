import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { Adapter } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { databases } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenService, openService } from '../../test/open-service.ts'
import { openSite, type SiteAnswer } from '../../test/scripted-site.ts'
import { follow, local, request } from '../../test/searches.ts'
import { type DemoMarketplace, startDemoMarketplace } from '../marketplace/demo/server.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { quotaRefusal } from './quota.ts'

const credentials = { MARKETPLACE_APP_ID: 'id', MARKETPLACE_CERT_ID: 'secret' }
const caller = { caller: local }
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): SiteAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

describe.each(drawnBackend(databases, 'listings/api-use'))('on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('the API of the demo marketplace', () => {
    const stack = new AsyncDisposableStack()
    let demo: DemoMarketplace
    let service: OpenService
    beforeAll(async () => {
      demo = await startDemoMarketplace()
      stack.defer(() => demo.close())
      const database = stack.use(await start())
      const store = stack.use(await database.place({ name: 'listings', migrations }))
      service = await openService(store.location, {
        ...credentials,
        MARKETPLACE_API_URL: demo.url,
        MARKETPLACE_BASE_URL: demo.url,
        MARKETPLACE_PROFILE_URL: `${demo.url}/shopping`,
        MARKETPLACE_REQUEST_GAP_MS: '0',
      })
      stack.defer(() => service.close())
    })
    afterAll(() => stack.disposeAsync())

    test('a search finds listings and a market price, and looks sellers up, with their immutable ids', async () => {
      const found = await service.client.search(request({ q: 'thinkpad', adapter: Adapter.API }), caller)
      expect(found).toMatchObject({ adapterUsed: 'api', marketPrice: expect.any(Number) })
      expect(found.listings.length).toBeGreaterThan(20)
      expect(found.listings[0]).toMatchObject({
        platformListingId: expect.stringMatching(/^v1\|\d+\|0$/),
        categoryName: 'PC Laptops & Netbooks',
      })
      await follow(service.client, found.sessionId ?? '')
      await using opened = await openStore<ListingsTables>({ ...service.store, name: 'listings', migrations })
      const learned = await opened.db
        .selectFrom('sellers')
        .selectAll()
        .where('platform_user_id', 'is not', null)
        .execute()
      expect(learned.length).toBeGreaterThan(0)
      // The API shows the day on which an account was opened; pages show the month.
      for (const row of learned) expect(row.account_opened_until).toBe(row.account_opened_on)
    })

    test('the session and the metrics show the use of the API and its quota', async () => {
      const { apiUse } = await service.client.getSession({}, caller)
      expect(apiUse).toMatchObject({ callLimit: 5000, remaining: expect.any(Number), readAt: expect.any(String) })
      expect(apiUse?.callsToday).toBeGreaterThan(1)
      const metrics = await service.metrics.render()
      expect(metrics).toMatch(/^trellis_listings_api_calls_total [1-9]/m)
      expect(metrics).toMatch(/^trellis_listings_api_quota_remaining \d+/m)
      const guest = { caller: { userId: 'guest:1', kind: 'guest', tier: 'free' } } as const
      expect((await service.client.getSession({}, guest)).apiUse ?? null).toBeNull()
    })

    test('comps come from the sales insights, with their strata', async () => {
      const comps = await service.client.getComps({ q: 'iphone 14' }, caller)
      expect(comps.strata.length).toBeGreaterThan(0)
      expect(comps).toMatchObject({ currency: 'USD', confidence: expect.stringMatching(/high|medium|low/) })
    })

    test('a search through an API whose quota is used up is a 502 until the quota is reset', async () => {
      await using opened = await openStore<ListingsTables>({ ...service.store, name: 'listings', migrations })
      const set = (remaining: number) => opened.db.updateTable('api_quota').set({ remaining }).execute()
      await set(0)
      await expect(service.client.search(request({ adapter: Adapter.API }), caller)).rejects.toMatchObject({
        status: 502,
        message: expect.stringContaining('quota of 5000 calls a day is used up'),
        retryAfterSeconds: expect.any(Number),
      })
      await set(100)
      expect((await service.client.search(request({ adapter: Adapter.API }), caller)).adapterUsed).toBe('api')
    })
  })
})

describe('errors of the API', () => {
  const token = json({ access_token: 't', expires_in: 7200 })
  const search = /item_summary/
  const serve = async (answer: () => SiteAnswer) => {
    const site = await openSite(
      new Proxy({} as Record<string, () => SiteAnswer>, {
        get: (_, path) => () =>
          search.test(String(path)) ? answer() : String(path).endsWith('/token') ? token : json({}),
      }),
    )
    await using opening = new AsyncDisposableStack()
    opening.use(site)
    const directory = await mkdtemp(join(tmpdir(), 'trellis-listings-api-'))
    opening.defer(() => rm(directory, { recursive: true, force: true }))
    const service = await openService({ dataDirectory: directory }, { ...credentials, MARKETPLACE_API_URL: site.url })
    opening.defer(() => service.close())
    const stack = opening.move()
    return { service, site, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test('an error is a 502 with the words of the API', async () => {
    await using served = await serve(() => json({ errors: [{ message: 'The q parameter is too long.' }] }, 400))
    await expect(served.service.client.search(request(), caller)).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('status 400: "The q parameter is too long"'),
    })
  })

  test.each([
    ['its own', { 'retry-after': '120' }, 120],
    ['a default', {}, 60],
  ])('a 429 is a 502 with %s Retry-After', async (_, headers: Record<string, string>, seconds) => {
    await using served = await serve(() => json({ errors: [{ message: 'Too many requests' }] }, 429, headers))
    await expect(served.service.client.search(request(), caller)).rejects.toMatchObject({
      status: 502,
      retryAfterSeconds: seconds,
    })
  })

  test('a token that the API no longer accepts is replaced once', async () => {
    let attempts = 0
    await using served = await serve(() => {
      attempts += 1
      return attempts === 1 ? json({ errors: [{ message: 'Invalid access token' }] }, 401) : json({ itemSummaries: [] })
    })
    expect((await served.service.client.search(request(), caller)).listings).toEqual([])
    expect(served.site.paths().filter((path) => search.test(path))).toHaveLength(2)
  })
})

test('a quota refuses calls only while it is used up and not reset yet', () => {
  const now = new Date('2026-06-15T12:00:00Z')
  const resetsAt = '2026-06-16T00:00:00.000Z'
  expect(quotaRefusal(null, now)).toBeUndefined()
  expect(quotaRefusal({ limit: 10, remaining: 1, resetsAt }, now)).toBeUndefined()
  expect(quotaRefusal({ limit: 10, remaining: 0, resetsAt: null }, now)).toBeUndefined()
  expect(quotaRefusal({ limit: 10, remaining: 0, resetsAt }, new Date(resetsAt))).toBeUndefined()
  expect(quotaRefusal({ limit: 10, remaining: 0, resetsAt }, now)).toMatchObject({
    status: 502,
    retryAfterSeconds: 43_200,
  })
})
