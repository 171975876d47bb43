import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, type NatsServer, startNatsServer } from '@trellis/distributed/servers'
import { connectGrpc } from '@trellis/kit/rpc'
import { AlertsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Kind, openHeldSite } from '../../services/listings/test/held-site.ts'
import { type Client, expectWhole, type Frame, follow, local, request } from '../../services/listings/test/searches.ts'
import type { NodeProcess } from '../support/node-process.ts'
import { postgresMissing, startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { migrateService, startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'

const missing = natsMissing ?? postgresMissing
const reason = missing ? ` (skipped: ${missing})` : ''

describe.skipIf(missing)(`replicas of the listings service, as processes on NATS and Postgres${reason}`, () => {
  const servers = new AsyncDisposableStack()
  let own = new AsyncDisposableStack()
  const secret = randomBytes(24).toString('hex')
  let nats: NatsServer
  let postgres: TestPostgres
  let directory = ''

  beforeAll(async () => {
    directory = servers.use(await temporaryDirectory()).path
    nats = servers.use(await startNatsServer({ command: natsCommand }))
    postgres = servers.use(await startTestPostgres())
  })
  afterAll(() => servers.disposeAsync())
  afterEach(async () => {
    const before = own
    own = new AsyncDisposableStack()
    await before.disposeAsync()
  })

  let testbeds = 0
  /** A marketplace, a database, a bus prefix and a workloads runtime for one test, with a function that starts replicas. */
  const openTestbed = async (held: Kind | undefined, site?: { count: number }) => {
    const marketplace = await openHeldSite(held, site)
    own.defer(() => marketplace.close())
    const environment = {
      ...marketplace.environment,
      NATS_URL: nats.address,
      NATS_PREFIX: `listings${++testbeds}`,
      DATABASE_URL: await postgres.createDatabase(),
      RPC_SECRET: secret,
      METRICS_PORT: '0',
      TRELLIS_DATA_DIR: join(directory, `data${testbeds}`),
    }
    const workloadsAddress = `127.0.0.1:${await freePort()}`
    const start = async (module: string, address: string): Promise<NodeProcess> =>
      own.use(
        await startService(module, {
          ...environment,
          RPC_ADDRESS: address,
          WORKLOADS_ADDRESS: workloadsAddress,
        }),
      )
    const startWorkloads = () => start('services/distributed/src/workloads/main.ts', workloadsAddress)
    const startReplica = async () => {
      const address = `127.0.0.1:${await freePort()}`
      const { end } = await start('services/listings/src/main.ts', address)
      const security = { secrets: [secret] }
      const { client } = own.use(connectGrpc(ListingsServiceDefinition, address, { security }))
      const { client: saved } = own.use(connectGrpc(SavedSearchesServiceDefinition, address, { security }))
      const { client: alerts } = own.use(connectGrpc(AlertsServiceDefinition, address, { security }))
      return { client, saved, alerts, end }
    }
    await migrateService('services/listings/src/main.ts', environment)
    const workloads = await startWorkloads()
    return { marketplace, workloads, startWorkloads, startReplica }
  }

  const expectCountedOnce = async (client: Client) => {
    const answer = await client.getListing({ platformListingId: '130000000001' }, { caller: local })
    expect([answer.listing?.timesSeen, answer.sightings.length, answer.priceHistory.length]).toEqual([1, 1, 1])
  }

  test('a search survives the kill of its replica: another completes it, without duplicates', async () => {
    const { marketplace, startReplica } = await openTestbed('search')
    // As the only replica, it drives the search.
    const one = await startReplica()
    const { sessionId } = await one.client.searchAsync(request(), { caller: local })
    await marketplace.reached
    const two = await startReplica()
    const frames = follow(two.client, sessionId)
    await one.end('SIGKILL')
    marketplace.release()
    expectWhole(await frames)
    expect(marketplace.requestedFor('search')).toBe(1)
    await expectCountedOnce(two.client)
  })

  test('a replica that gets SIGTERM hands its search over at once', async () => {
    const { marketplace, startReplica } = await openTestbed('search')
    const one = await startReplica()
    const { sessionId } = await one.client.searchAsync(request(), { caller: local })
    await marketplace.reached
    const two = await startReplica()
    const frames = follow(two.client, sessionId)
    await one.end('SIGTERM')
    marketplace.release()
    expectWhole(await frames)
    expect(marketplace.requestedFor('search')).toBe(1)
    await expectCountedOnce(two.client)
  })

  test('a follower of a killed replica resumes on another one and misses nothing', async () => {
    const { marketplace, startReplica } = await openTestbed('seller')
    const one = await startReplica()
    const { sessionId } = await one.client.searchAsync(request(), { caller: local })
    const before: Frame[] = []
    let lastEventId: string | null = null
    const priced = Promise.withResolvers<void>()
    const following = follow(one.client, sessionId, (frame, eventId) => {
      before.push(frame)
      lastEventId = eventId
      if (frame.$case === 'marketPrice') priced.resolve()
    })
    const broken = expect(following).rejects.toMatchObject({ kind: 'unavailable' })
    await Promise.all([priced.promise, marketplace.reached])
    const two = await startReplica()
    await one.end('SIGKILL')
    await broken
    marketplace.release()
    const after = await follow(two.client, sessionId, undefined, lastEventId)
    expectWhole([...before, ...after])
    await expectCountedOnce(two.client)
  })

  test('a run is requested again after its runtime was killed in the middle of a search', async () => {
    const { marketplace, workloads, startWorkloads, startReplica } = await openTestbed('search')
    const { client } = await startReplica()
    const { sessionId } = await client.searchAsync(request(), { caller: local })
    const frames = follow(client, sessionId)
    await marketplace.reached
    await workloads.end('SIGKILL')
    marketplace.release()
    await startWorkloads()
    expectWhole(await frames)
    await expectCountedOnce(client)
  })

  test('a search completes after Postgres was killed in the middle of it', async () => {
    const { marketplace, startReplica } = await openTestbed('search')
    const { client } = await startReplica()
    const { sessionId } = await client.searchAsync(request(), { caller: local })
    const frames = follow(client, sessionId)
    await marketplace.reached
    await postgres.server.stop('SIGKILL')
    marketplace.release()
    await expect(client.searchAsync(request(), { caller: local })).rejects.toMatchObject({ kind: 'unavailable' })
    await postgres.server.start()
    expectWhole(await frames)
    expect(marketplace.requestedFor('search')).toBe(1)
  })

  test('a monitor whose replica is killed during its run is concluded by the other, with each alert once', async () => {
    const { marketplace, startReplica } = await openTestbed('search')
    const one = await startReplica()
    const caller = { caller: local }
    const { id } = await one.saved.createSavedSearch({ name: 'Cameras', query: 'camera' }, caller)
    await one.saved.setMonitor({ savedId: id, monitorEnabled: true }, caller)
    await marketplace.reached
    const two = await startReplica()
    await one.end('SIGKILL')
    marketplace.release()
    await waitFor(
      async () => {
        const { savedSearches } = await two.saved.listSavedSearches({}, caller)
        expect(savedSearches[0]).toMatchObject({ lastCheckedAt: expect.any(String), lastError: null })
      },
      { interval: 100 },
    )
    const { alerts, unreadCount } = await two.alerts.listAlerts({}, caller)
    expect([alerts.length, unreadCount, marketplace.requestedFor('search')]).toEqual([3, 3, 1])
  })

  test('a search may find more listings than fit into a bus message', async () => {
    const { startReplica } = await openTestbed(undefined, { count: 1_500 })
    const [one, two] = [await startReplica(), await startReplica()]
    const { sessionId } = await one.client.searchAsync(request(), { caller: local })
    const frames = await follow(two.client, sessionId)
    expect(frames[0]?.$case === 'listings' && frames[0].value.listings.length).toBe(1_500)
    expectWhole(frames)
    const answer = await two.client.search(request(), { caller: local })
    expect([answer.listings.length, Object.keys(answer.trustScores).length]).toEqual([1_500, 1_500])
  })
})
