import { readdir, readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { freePort } from '@trellis/distributed/servers'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { type Caller, connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { openStore, type StoreLocation, sql } from '@trellis/kit/store'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads, watchRun } from '@trellis/kit/workloads'
import {
  Adapter,
  ListingsServiceDefinition,
  MustIncludeMode,
  type SearchRequest,
} from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend, sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { request as searchRequest } from '../test/searches.ts'
import { createListingsService, listingsConfig, searchWorker } from './mod.ts'
import { migrations } from './schemas.ts'
import type { Tables } from './store/tables.ts'

const local: Caller = { userId: 'local', kind: 'local', tier: 'local' }
const guest = (id: string): Caller => ({ userId: `guest:${id}`, kind: 'guest', tier: 'free' })

const request = (change: Partial<SearchRequest> = {}): SearchRequest => searchRequest({ q: 'thinkpad', ...change })

/** Shortens lock timeouts on either database. */
const shortWaits = { lockWaitMilliseconds: 300, limits: { lockMilliseconds: 300 } }

let database: RunningDatabase

/** The embedded service, with its own workers, on a new database. */
const start = async (environment: Record<string, string> = {}) => {
  const place = await database.place({ name: 'listings', migrations })
  const service = await startOn({ ...place.location, ...shortWaits }, environment)
  const close = async () => {
    await service.close()
    await place[Symbol.asyncDispose]()
  }
  return { ...service, close }
}

/** The service on an existing database. */
const startOn = async (store: StoreLocation, environment: Record<string, string> = {}, demoPort = 0) => {
  const stack = new AsyncDisposableStack()
  const config = readConfig(listingsConfig, environment)
  const metrics = createMetrics({ processMetrics: false })
  const bus = stack.use(createMemoryBus())
  const worker = searchWorker(config)
  const runtime = stack.use(createLocalWorkloads({ bus, kinds: { WORKLOAD_SEARCH: worker }, log: silentLog }))
  const workloads = connectInProcess(
    WorkloadsServiceDefinition,
    runtime.handlers as Handlers<typeof WorkloadsServiceDefinition>,
  )
  const service = stack.use(
    await createListingsService({
      config,
      store,
      bus,
      workloads,
      demoPort,
      log: silentLog,
      metrics,
    }),
  )
  const [served] = service.implementations
  const client = connectInProcess(
    ListingsServiceDefinition,
    served?.handlers as Handlers<typeof ListingsServiceDefinition>,
  )
  const close = () => stack.disposeAsync()
  return { client, bus, metrics, store, worker, close, [Symbol.asyncDispose]: close }
}
type Service = Awaited<ReturnType<typeof start>>

/** All frames of a stream up to `done`, with their ids. */
const follow = async (
  { client }: Service,
  sessionId: string,
  { caller = local, lastEventId = null as string | null } = {},
) => {
  const frames = []
  for await (const { eventId, event } of client.watchUpdates({ sessionId, lastEventId }, { caller }))
    if (event) frames.push({ eventId, ...event })
  return frames
}

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

/** The service for a new site without robots.txt, and the paths of its requests. */
const site = async (respond: (address: URL, response: ServerResponse) => unknown) => {
  const paths: string[] = []
  const server = createServer((incoming, response) => {
    const address = new URL(incoming.url ?? '/', 'http://site.test')
    if (address.pathname === '/robots.txt') {
      response.writeHead(404).end()
      return
    }
    paths.push(incoming.url ?? '')
    respond(address, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const service = await start({
    MARKETPLACE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    MARKETPLACE_REQUEST_GAP_MS: '0',
  })
  cleanUp.push(service.close)
  return { service, paths }
}

const card = (
  id: number,
  { price = '$100.00', title = `Camera ${id}`, seller = 'ada 99.5% positive (1.2K)', caption = '' } = {},
) =>
  `<li class="s-card" data-listingid="${id}"><a class="s-card__link" href="/itm/${id}"><div class="s-card__title"><span>${title}</span></div></a>${caption && `<div class="s-card__caption">${caption}</div>`}<span class="s-card__price">${price}</span><div class="su-card-container__attributes__secondary"><div class="s-card__attribute-row"><span>${seller}</span></div></div></li>`
const page = (...items: string[]) =>
  `<h1 class="srp-controls__count-heading">${items.length} results</h1><ul class="srp-results">${items.join('')}</ul>`
const isSold = (address: URL) => address.searchParams.has('LH_Sold')
const first = 130000000001

describe.each(drawnBackend(databases, 'listings/service'))('on $name', ({ isMissing, start: startDatabase }) => {
  describe.skipIf(isMissing)('the listings service', () => {
    beforeAll(async () => {
      database = await startDatabase()
    })
    afterAll(() => database[Symbol.asyncDispose]())

    describe('against the demo marketplace', () => {
      let service: Service
      beforeAll(async () => {
        service = await start()
      })
      afterAll(() => service.close())

      test('a search returns listings, scores, sellers and the market price, marked as a demo', async () => {
        const headers: [string, string][] = []
        // The sales of "thinkpad" have the prices of two models, so that no single one would be compared with.
        const answer = await service.client.search(request({ q: 'thinkpad t14' }), {
          caller: local,
          head: { status: () => undefined, header: (...header) => headers.push(header) },
        })
        expect(headers).toContainEqual(['x-marketplace', 'demo'])
        expect(answer).toMatchObject({
          adapterUsed: 'scraper',
          affiliateActive: false,
          marketPrice: expect.any(Number),
          sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        })
        expect(answer.listings.length).toBeGreaterThan(30)
        expect(Object.keys(answer.trustScores)).toHaveLength(answer.listings.length)
        expect(
          answer.listings.every(
            ({ sellerPlatformId, id, timesSeen }) => answer.sellers[sellerPlatformId] && id && timesSeen === 1,
          ),
        ).toBe(true)
        const frames = await follow(service, answer.sessionId ?? '')
        expect(new Set(frames.map(({ $case }) => $case))).toEqual(new Set(['update', 'done']))
        expect(frames.at(-1)).toMatchObject({ $case: 'done', value: { reason: undefined } })
        expect(await service.metrics.render()).toMatch(
          /trellis_listings_searches_total\{adapter="scraper",outcome="done"\} \d/,
        )
        expect(await service.metrics.render()).toContain('trellis_listings_usable_cards_ratio_bucket{le="0.999"} 0')
        const updates = frames.flatMap((frame) => (frame.$case === 'update' ? [frame.value] : []))
        // A listing with a range of prices has no price to compare.
        const whole = updates.find(({ trustScore }) => trustScore?.scoreIsPartial === false)
        expect(whole).toMatchObject({
          platformListingId: expect.stringMatching(/^\d+$/),
          marketPrice: answer.marketPrice,
          trustScore: { scoreIsPartial: false, signalScores: { accountAge: expect.any(Number) } },
          seller: { accountAgeDays: expect.any(Number) },
        })
      })

      test('an asynchronous search publishes listings first, then the price, then updates', async () => {
        const { sessionId, status } = await service.client.searchAsync(request({ q: 'camera' }), { caller: local })
        expect(status).toBe('queued')
        const frames = await follow(service, sessionId)
        const kinds = frames.map(({ $case }) => $case)
        expect(kinds.slice(0, 2)).toEqual(['listings', 'marketPrice'])
        expect(kinds.at(-1)).toBe('done')
        expect(kinds).toContain('update')
        expect(frames[0]?.value).toMatchObject({ type: 'listings', sessionId, adapterUsed: 'scraper' })
        expect(frames[1]?.value).toMatchObject({
          type: 'market_price',
          sampleCount: expect.any(Number),
          quartiles: expect.stringMatching(/^\[[\d.]+,[\d.]+\]$/),
          expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
        })

        const resumed = await follow(service, sessionId, { lastEventId: frames[1]?.eventId ?? null })
        expect(resumed).toEqual(frames.slice(2))
      })

      test('the stream of an ended search ends after its last event, and is a 404 without its updates', async () => {
        const { sessionId } = await service.client.searchAsync(request({ q: 'camera' }), { caller: local })
        const frames = await follow(service, sessionId)
        expect(await follow(service, sessionId, { lastEventId: frames.at(-1)?.eventId ?? null })).toEqual([])
        const last = Number(frames.at(-1)?.eventId)
        for (const lastEventId of ['none of ours', String(last + 1), String(last + 1_000), '-1', '1e3']) {
          const [reset, ...again] = await follow(service, sessionId, { lastEventId })
          expect([reset?.$case, reset?.eventId, again]).toEqual(['reset', '0', frames])
        }
        await using db = await openStore<Tables>({ ...service.store, name: 'listings', migrations })
        const session = () =>
          db.db.selectFrom('search_sessions').selectAll().where('id', '=', sessionId).executeTakeFirst()
        await expect.poll(async () => (await session())?.ended_at).toEqual(expect.any(String))
        expect(await follow(service, sessionId)).toHaveLength(frames.length)
        // Another process on the same rows, with an empty in-memory bus.
        await using restarted = await startOn(service.store)
        await expect(follow(restarted, sessionId)).rejects.toMatchObject({ status: 404 })
      })

      test('links to the demo lead to it after a restart, before any search', async () => {
        await using place = await database.place({ name: 'listings', migrations })
        const port = await freePort()
        const before = await startOn(place.location, {}, port)
        const { listings } = await before.client.search(request(), { caller: local })
        await before.close()
        const [{ url } = { url: '' }] = listings
        await expect(fetch(url)).rejects.toThrow()
        await using _restarted = await startOn(place.location, {}, port)
        expect((await fetch(url)).status).toBe(200)
      })

      test('required and excluded terms are also applied to titles here', async () => {
        const { listings } = await service.client.search(
          request({ q: 'laptop', mustInclude: 'thinkpad, 16gb', mustExclude: 'carbon' }),
          { caller: local },
        )
        expect(listings.length).toBeGreaterThan(0)
        expect(
          listings.every(({ title }) => /thinkpad/i.test(title) && /16gb/i.test(title) && !/carbon/i.test(title)),
        ).toBe(true)
      })

      test('groups are searched as several queries and merged', async () => {
        const { listings } = await service.client.search(
          request({ q: 'graphics', mustInclude: '16gb|24gb, rtx', mustIncludeMode: MustIncludeMode.GROUPS }),
          { caller: local },
        )
        expect(listings.length).toBeGreaterThan(5)
        expect(listings.every(({ title }) => /16gb|24gb/i.test(title) && /rtx/i.test(title))).toBe(true)
        expect(new Set(listings.map(({ platformListingId }) => platformListingId)).size).toBe(listings.length)
      })

      test('a blank query returns nothing at once, or streams one empty frame', async () => {
        expect(await service.client.search(request({ q: '  ' }), { caller: local })).toMatchObject({
          listings: [],
          marketPrice: undefined,
          sessionId: undefined,
          adapterUsed: 'scraper',
        })
        const { sessionId } = await service.client.searchAsync(request({ q: '' }), { caller: local })
        expect((await follow(service, sessionId)).map(({ $case }) => $case)).toEqual(['listings', 'done'])
      })

      test('sightings, finds and streams are separate for each user', async () => {
        const [ada, bob] = [{ caller: guest('ada') }, { caller: guest('bob') }]
        const query = request({ q: 'espresso' })
        await service.client.search(query, ada)
        const again = await service.client.search(query, ada)
        const other = await service.client.search(query, bob)
        expect([again.listings[0]?.timesSeen, other.listings[0]?.timesSeen]).toEqual([2, 1])
        expect(again.listings[0]?.firstSeenAt).not.toBe(again.listings[0]?.lastSeenAt)
        await expect(follow(service, again.sessionId ?? '', bob)).rejects.toMatchObject({ status: 404 })
        await expect(service.client.cancelSearch({ sessionId: again.sessionId ?? '' }, bob)).rejects.toMatchObject({
          status: 404,
        })
        const platformListingId = again.listings[0]?.platformListingId ?? ''
        expect(await service.client.getListing({ platformListingId }, ada)).toMatchObject({
          listing: { platformListingId, timesSeen: 2 },
          sightings: [expect.any(String), expect.any(String)],
        })
        await expect(service.client.getListing({ platformListingId }, { caller: guest('eve') })).rejects.toMatchObject({
          status: 404,
        })
      })

      test('enrichment looks a seller up, rescores the listing and saves the score', async () => {
        const { listings, trustScores } = await service.client.search(request({ q: 'headphones' }), { caller: local })
        const listing = listings.findLast(
          ({ platformListingId, sellerPlatformId }) =>
            sellerPlatformId !== '' && trustScores[platformListingId]?.scoreIsPartial,
        )
        const { platformListingId = '', sellerPlatformId = '' } = listing ?? {}
        const enriched = await service.client.enrich(
          { seller: sellerPlatformId, listingId: platformListingId, query: '' },
          { caller: local },
        )
        expect(enriched.seller).toMatchObject({
          platformSellerId: sellerPlatformId,
          accountAgeDays: expect.any(Number),
        })
        expect(enriched.trustScore?.signalScores?.accountAge).toBeDefined()
        expect(enriched.trustScore?.signalScores?.priceVsMarket).toBe(
          trustScores[platformListingId]?.signalScores?.priceVsMarket,
        )
        const { trustScore } = await service.client.getListing({ platformListingId }, { caller: local })
        expect(trustScore).toEqual(enriched.trustScore)
        await expect(
          service.client.enrich({ seller: 'unknown', listingId: platformListingId, query: '' }, { caller: local }),
        ).rejects.toMatchObject({ status: 404 })
        await expect(
          service.client.enrich({ seller: sellerPlatformId, listingId: '1', query: '' }, { caller: local }),
        ).rejects.toMatchObject({ status: 404 })
      })

      test('comps have their sample count and expiry', async () => {
        const comps = await service.client.getComps({ q: 'playstation' }, { caller: local })
        expect(comps).toMatchObject({
          query: 'playstation',
          currency: 'USD',
          medianPrice: expect.any(Number),
          expiresAt: expect.any(String),
        })
        expect(comps.sampleCount).toBeGreaterThan(3)
        expect(comps.interval?.low).toBeLessThanOrEqual(comps.medianPrice ?? 0)
        expect(comps.interval?.high).toBeGreaterThanOrEqual(comps.medianPrice ?? 0)
        expect(comps.strata.map(({ condition }) => condition)).toContain('used')
        expect(comps.excluded).toMatchObject({ for_parts: expect.any(Number) })
        expect(comps.history).toMatchObject({
          firstOn: new Date().toISOString().slice(0, 10),
          dealBelow: undefined,
          dealUnknown: expect.stringContaining('needs 5 weeks more'),
        })
        expect(await service.client.getComps({ q: 'playstation' }, { caller: local })).toEqual(comps)
        expect(await service.client.getComps({ q: 'zeppelin' }, { caller: local })).toMatchObject({
          medianPrice: undefined,
          sampleCount: 0,
          quartiles: undefined,
          expiresAt: undefined,
        })
      })

      test('a market price for a blank query is a 422', async () => {
        await expect(service.client.getComps({ q: ' ' }, { caller: local })).rejects.toMatchObject({ status: 422 })
      })

      test('a visitor becomes a guest only once', async () => {
        const headers: [string, string][] = []
        const head = { status: () => undefined, header: (...header: [string, string]) => headers.push(header) }
        const session = await service.client.getSession(
          {},
          { caller: { userId: 'anonymous', kind: 'anonymous', tier: 'free' }, head },
        )
        expect(session).toMatchObject({
          userId: expect.stringMatching(/^guest:[0-9a-f-]{36}$/),
          tier: 'free',
          features: { maxPages: 1, savedSearchesLimit: 3 },
        })
        expect(headers).toEqual([
          ['set-cookie', `listing_guest=${session.userId.slice(6)}; Max-Age=86400; Path=/listings; SameSite=Lax`],
        ])
        await service.client.getSession({}, { caller: guest('ada'), head })
        expect(headers).toHaveLength(1)
        const anonymous = { userId: 'anonymous', kind: 'anonymous', tier: 'free' } as const
        await service.client.getSession({}, { caller: anonymous, head, origin: 'https://trellis.example' })
        expect(headers[1]?.[1]).toMatch(/; SameSite=Lax; Secure$/)
      })

      test('the API without credentials is a 503, even asynchronously', async () => {
        const desired = request({ adapter: Adapter.API })
        await expect(service.client.search(desired, { caller: local })).rejects.toMatchObject({ status: 503 })
        await expect(service.client.searchAsync(desired, { caller: local })).rejects.toMatchObject({ status: 503 })
      })
    })

    describe('against a site', () => {
      test('a refusal is a 502 with Retry-After, and a searchFailed frame on a stream', async () => {
        const { service } = await site((_, response) => response.writeHead(429, { 'retry-after': '120' }).end())
        await expect(service.client.search(request(), { caller: local })).rejects.toMatchObject({
          status: 502,
          retryAfterSeconds: expect.any(Number),
          detail: expect.stringMatching(/refused/),
        })
        const { sessionId } = await service.client.searchAsync(request(), { caller: local })
        const frames = await follow(service, sessionId)
        expect(frames.map(({ $case }) => $case)).toEqual(['searchFailed', 'done'])
        expect(frames[0]?.value).toMatchObject({ type: 'search_failed', status: 502 })
      })

      test('what workers share about sites is deleted once the last has ended, even in the middle of a search', async () => {
        const { service } = await site((_, response) => response.end(page(card(first))))
        const directory = service.worker.environment.LISTINGS_STANDINGS_DIRECTORY ?? ''
        await service.client.search(request(), { caller: local })
        expect(await readdir(directory)).not.toEqual([])
        await Promise.all(Array.from({ length: 8 }, () => service.client.searchAsync(request(), { caller: local })))
        await cleanUp.pop()?.()
        await expect(readdir(directory)).rejects.toThrow('ENOENT')
      })

      test('a market price or a seller that the site refuses to show is a 502 with Retry-After', async () => {
        let isRefusing = false
        const { service } = await site((address, response) =>
          isRefusing
            ? response.writeHead(429, { 'retry-after': '120' }).end()
            : response.end(isSold(address) || !address.searchParams.has('_nkw') ? page() : page(card(first))),
        )
        const { listings } = await service.client.search(request(), { caller: local })
        isRefusing = true
        const refusal = { status: 502, retryAfterSeconds: expect.any(Number) }
        await expect(service.client.getComps({ q: 'camera' }, { caller: local })).rejects.toMatchObject(refusal)
        const seller = listings[0]?.sellerPlatformId ?? ''
        const enriched = service.client.enrich({ seller, listingId: String(first), query: '' }, { caller: local })
        await expect(enriched).rejects.toMatchObject(refusal)
      })

      test('a failed sales lookup leaves the price unknown without failing the search', async () => {
        const { service } = await site((address, response) =>
          isSold(address) ? response.writeHead(500).end() : response.end(page(card(first))),
        )
        expect(await service.client.search(request(), { caller: local })).toMatchObject({
          marketPrice: undefined,
          listings: [{ platformListingId: String(first) }],
        })
      })

      test('sales are looked up once per query', async () => {
        const sold = [90, 100, 110].map((price, index) =>
          card(first + index, { price: `$${price}.00`, caption: 'Sold  May 4, 2026' }),
        )
        const { service, paths } = await site((address, response) =>
          response.end(isSold(address) ? page(...sold) : page(card(first + 9, { price: '$40.00' }))),
        )
        const once = await service.client.search(request({ q: 'camera' }), { caller: local })
        const again = await service.client.search(request({ q: 'camera', maxPrice: 50 }), { caller: local })
        expect([once.marketPrice, again.marketPrice]).toEqual([100, 100])
        expect(paths.filter((path) => path.includes('LH_Sold'))).toHaveLength(1)
        expect(once.trustScores[String(first + 9)]).toMatchObject({
          softFlags: ['suspicious_price'],
          signalScores: { priceVsMarket: 0 },
        })
      })

      test('every price change is stored, including a return to an earlier price', async () => {
        const prices = ['$100.00', '$80.00', '$80.00', '$100.00']
        const { service } = await site((address, response) =>
          response.end(
            isSold(address) || !address.searchParams.has('_nkw')
              ? page()
              : page(card(first, { price: prices.shift() ?? '$1.00' })),
          ),
        )
        // A different limit each time changes the URL, so that no page comes from the cache.
        for (const maxPrice of [1000, 1001, 1002, 1003])
          await service.client.search(request({ maxPrice }), { caller: local })
        const { listing, priceHistory } = await service.client.getListing(
          { platformListingId: String(first) },
          { caller: local },
        )
        expect(priceHistory.map(({ price }) => price)).toEqual([100, 80, 100])
        expect(listing).toMatchObject({ price: 100, priceAtFirstSeen: 100, timesSeen: 4 })
      })

      test('a price in another currency than the first one is no drop', async () => {
        const prices = ['12,000 円', '$80.00', '$50.00']
        const { service } = await site((address, response) =>
          response.end(
            isSold(address) || !address.searchParams.has('_nkw')
              ? page()
              : page(card(first, { price: prices.shift() ?? '$1.00' }), card(first + 1, { price: '$100.00' })),
          ),
        )
        const flags: (readonly string[] | undefined)[] = []
        for (const maxPrice of [1000, 1001, 1002]) {
          const { trustScores } = await service.client.search(request({ maxPrice }), { caller: local })
          flags.push(trustScores[String(first)]?.softFlags)
        }
        expect(flags).toEqual([[], [], []])
      })

      test('results after the divider are left out', async () => {
        const divider = '<li class="srp-river-answer"><span>Results matching fewer words</span></li>'
        const { service } = await site((address, response) =>
          response.end(isSold(address) ? page() : page(card(first), divider, card(first + 1))),
        )
        expect(
          (await service.client.search(request(), { caller: local })).listings.map(
            ({ platformListingId }) => platformListingId,
          ),
        ).toEqual([String(first)])
      })

      /** A site whose first request locks the database; `unlock` releases it. */
      const lockingSite = async () => {
        let unlock: Promise<() => Promise<void>> | undefined
        const lock = async () => {
          const other = await openStore<Tables>({ ...service.store, name: 'listings', migrations })
          const transaction = await other.db.startTransaction().execute()
          // On SQLite an open transaction locks the whole database.
          if ('databaseUrl' in service.store)
            await sql`lock table listings, sellers, comps, trust_scores`.execute(transaction)
          return async () => {
            await transaction.rollback().execute()
            await other.close()
          }
        }
        const { service } = await site(async (address, response) => {
          unlock ??= lock()
          await unlock
          response.end(isSold(address) ? page() : page(card(first), card(first + 1)))
        })
        return { service, unlock: async () => (await unlock)?.() }
      }

      test('a locked database after the search costs the scores but not the listings', async () => {
        const { service, unlock } = await lockingSite()
        const answer = await service.client.search(request(), { caller: local })
        await unlock()
        expect(answer).toMatchObject({ trustScores: {}, sellers: {}, sessionId: undefined, marketPrice: undefined })
        expect(answer.listings.map(({ id, timesSeen }) => [id, timesSeen])).toEqual([
          [undefined, 1],
          [undefined, 1],
        ])
      })

      test('a locked database after an asynchronous search costs the scores but not the listings, and ends its stream', async () => {
        const { service, unlock } = await lockingSite()
        const { sessionId } = await service.client.searchAsync(request(), { caller: local })
        const frames = await follow(service, sessionId)
        await unlock()
        expect(frames.map(({ $case }) => $case)).toEqual(['listings', 'done'])
        expect(frames[0]?.value).toMatchObject({ type: 'listings', trustScores: {}, sellers: {} })
        expect(frames[0]?.$case === 'listings' && frames[0].value.listings.length).toBe(2)
        expect(frames[1]?.value).toEqual({ reason: undefined })
      })

      test('a cancelled search ends its stream and its run', async () => {
        const reached = Promise.withResolvers<void>()
        const { service } = await site(() => reached.resolve())
        const { sessionId } = await service.client.searchAsync(request(), { caller: local })
        await reached.promise
        const frames = follow(service, sessionId)
        await service.client.cancelSearch({ sessionId }, { caller: local })
        expect((await frames).map(({ $case }) => $case)).toEqual(['done'])
        const reports = []
        for await (const report of watchRun(
          service.bus,
          { kind: 'search', runId: sessionId },
          new AbortController().signal,
        ))
          reports.push(report)
        expect(reports.at(-1)).toMatchObject({ $case: 'failed', value: { reason: 'Cancelled' } })
      })

      test('a caller that disconnects before the answer cancels the search', async () => {
        const reached = Promise.withResolvers<void>()
        const { service } = await site(() => reached.resolve())
        const leaving = new AbortController()
        const answer = service.client.search(request(), { caller: local, signal: leaving.signal })
        await reached.promise
        leaving.abort()
        await expect(answer).rejects.toMatchObject({ status: 409 })
      })
    })

    const saved = ['active-2025-09-en', 'active-2026-04-carousels', 'auctions-2026-07-en']
    describe.skipIf(sharedData('marketplace') === undefined)(
      'against saved pages (needs the shared marketplace data)',
      () => {
        test.each(sample(saved, 1))('%s is served completely, with its sellers and scores', async (name) => {
          const html = gunzipSync(await readFile(sharedData('marketplace', `${name}.html.gz`) ?? ''))
          const sold = gunzipSync(await readFile(sharedData('marketplace', 'sold-2026-05-fewer-words.html.gz') ?? ''))
          const { service } = await site((address, response) => response.end(isSold(address) ? sold : html))
          const { listings, sellers, trustScores, marketPrice } = await service.client.search(
            request({ q: 'anything' }),
            {
              caller: local,
            },
          )
          // A seller without feedback has no share of it.
          const isKnown = (seller: (typeof sellers)[string] | undefined) =>
            seller?.feedbackRatio !== undefined || seller?.feedbackCount === 0
          const complete = listings.filter(
            (one) =>
              one.platformListingId &&
              one.title &&
              one.price !== undefined &&
              one.currency === 'USD' &&
              one.url &&
              isKnown(sellers[one.sellerPlatformId]) &&
              trustScores[one.platformListingId],
          )
          expect(listings.length).toBeGreaterThanOrEqual(59)
          expect(complete.length / listings.length).toBeGreaterThanOrEqual(0.98)
          // One sale is not enough for a price.
          expect(marketPrice).toBeUndefined()
        })
      },
    )
  })
})
