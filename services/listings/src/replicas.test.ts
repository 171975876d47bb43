import { type Bus, createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers, type RpcClient } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads } from '@trellis/kit/workloads'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { killableBus } from '@trellis/test/support/killable-bus'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Kind, openHeldSite } from '../test/held-site.ts'
import { expectWhole, follow, local, request } from '../test/searches.ts'
import { createListingsService, listingsConfig, searchWorker } from './mod.ts'
import { migrations } from './schemas.ts'
import type { Tables } from './store/tables.ts'

type Workloads = RpcClient<typeof WorkloadsServiceDefinition>
type Client = RpcClient<typeof ListingsServiceDefinition>

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

/** A marketplace, and the service's configuration for it. */
const openSite = async (held: Kind) => {
  const site = await openHeldSite(held)
  cleanUp.push(() => site.close())
  return { ...site, config: readConfig(listingsConfig, site.environment) }
}
type Site = Awaited<ReturnType<typeof openSite>>

/** A workloads runtime that can die and restart without its runs. */
const openRuntime = (bus: Bus, { config }: Site) => {
  const open = () => createLocalWorkloads({ bus, kinds: { WORKLOAD_SEARCH: searchWorker(config) }, log: silentLog })
  let runtime = open()
  cleanUp.push(() => runtime[Symbol.asyncDispose]())
  const client = () => connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
  const workloads: Workloads = {
    run: (...args) => client().run(...args),
    cancel: (...args) => client().cancel(...args),
    list: (...args) => client().list(...args),
    capacity: (...args) => client().capacity(...args),
  }
  return {
    workloads,
    restart: async () => {
      const before = runtime
      runtime = open()
      await before[Symbol.asyncDispose]()
    },
  }
}

type Ground = { store: StoreLocation; bus: Bus; workloads: Workloads; site: Site }

/** One replica of the service. `kill` aborts its work without cleanup; `close` shuts it down gracefully. */
const openReplica = async ({ store, bus, workloads, site }: Ground) => {
  const own = killableBus(bus)
  const service = await createListingsService({ config: site.config, store, bus: own, workloads, log: silentLog })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await service[Symbol.asyncDispose]()
  }
  cleanUp.push(async () => {
    own.bury()
    await close()
  })
  const [served] = service.implementations
  const handlers = served?.handlers as Handlers<typeof ListingsServiceDefinition>
  return { client: connectInProcess(ListingsServiceDefinition, handlers), kill: own.kill, close }
}

describe.each(drawnBackend(databases, 'listings/replicas'))('on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('two replicas of the listings service', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())

    /** The dependencies that replicas share, and two replicas. The first one opened gets the first search. */
    const openTwo = async (held: Kind) => {
      const place = await database.place({ name: 'listings', migrations })
      cleanUp.push(async () => place[Symbol.asyncDispose]())
      const site = await openSite(held)
      const bus = createMemoryBus()
      cleanUp.push(async () => bus[Symbol.asyncDispose]())
      const { workloads, restart } = openRuntime(bus, site)
      const ground: Ground = { store: place.location, bus, workloads, site }
      const [first, second] = [await openReplica(ground), await openReplica(ground)]
      return { ...ground, first, second, restart }
    }

    const expectCountedOnce = async (client: Client) => {
      const answer = await client.getListing({ platformListingId: '130000000001' }, { caller: local })
      expect([answer.listing?.timesSeen, answer.sightings.length, answer.priceHistory.length]).toEqual([1, 1, 1])
    }

    test('a search started on one replica can be followed and cancelled on the other', async () => {
      const { first, second, site } = await openTwo('search')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      const frames = follow(second.client, sessionId)
      await site.reached
      site.release()
      expectWhole(await frames)

      const again = await first.client.searchAsync(request({ q: 'lens' }), { caller: local })
      const following = follow(second.client, again.sessionId)
      await second.client.cancelSearch({ sessionId: again.sessionId }, { caller: local })
      expect((await following).at(-1)?.$case).toBe('done')
    })

    test('a search whose replica is killed before any results is completed by the other, once', async () => {
      const { first, second, site } = await openTwo('search')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      const frames = follow(second.client, sessionId)
      await site.reached
      first.kill()
      site.release()
      expectWhole(await frames)
      expect([site.requestedFor('search'), site.requestedFor('sales')]).toEqual([1, 1])
      await expectCountedOnce(second.client)
    })

    test('a search whose replica is killed after publishing listings is continued by the other', async () => {
      const { first, second, site } = await openTwo('seller')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      const reported = Promise.withResolvers<void>()
      const frames = follow(second.client, sessionId, ({ $case }) => $case === 'marketPrice' && reported.resolve())
      await Promise.all([reported.promise, site.reached])
      first.kill()
      site.release()
      expectWhole(await frames)
      await expectCountedOnce(second.client)
    })

    test('a blocking search is answered although the replica that drove it was killed', async () => {
      const { first, second, site } = await openTwo('search')
      const answer = second.client.search(request(), { caller: local })
      await site.reached
      first.kill()
      site.release()
      const { listings, sessionId } = await answer
      expect(listings).toHaveLength(3)
      expect((await follow(second.client, sessionId ?? '')).at(-1)).toMatchObject({ $case: 'done' })
      await expectCountedOnce(second.client)
    })

    test('a replica that shuts down gracefully hands its searches over at once', async () => {
      const { first, second, site } = await openTwo('search')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      const frames = follow(second.client, sessionId)
      await site.reached
      await first.close()
      site.release()
      expectWhole(await frames)
      expect(site.requestedFor('search')).toBe(1)
    })

    test('runs are requested again from a runtime that restarted without them', async () => {
      const { first, site, restart } = await openTwo('search')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      const frames = follow(first.client, sessionId)
      await site.reached
      await restart()
      site.release()
      expectWhole(await frames)
      await expectCountedOnce(first.client)
    })

    test('a search without any driver left is driven after the next start, on another bus', async () => {
      const { first, second, site, store } = await openTwo('search')
      const { sessionId } = await first.client.searchAsync(request(), { caller: local })
      await site.reached
      first.kill()
      second.kill()
      const bus = createMemoryBus()
      cleanUp.push(async () => bus[Symbol.asyncDispose]())
      const third = await openReplica({ store, bus, site, workloads: openRuntime(bus, site).workloads })
      site.release()
      expectWhole(await follow(third.client, sessionId))
    })

    test('searches of many users are distributed over replicas, each executed once', async () => {
      const { first, second, site, store } = await openTwo('seller')
      site.release()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 ? first : second).client.search(request(), {
            caller: { userId: `guest:${index}`, kind: 'guest', tier: 'free' },
          }),
        ),
      )
      expect(answers.map(({ listings }) => listings.map(({ timesSeen }) => timesSeen))).toEqual(
        answers.map(() => [1, 1, 1]),
      )
      await using other = await openStore<Tables>({ ...store, name: 'listings', migrations })
      const sellers = await other.db.selectFrom('sellers').select('platform_seller_id').orderBy('id').execute()
      expect(sellers).toHaveLength(3)
    })
  })
})
