import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { type Caller, connectInProcess } from '@trellis/kit/rpc'
import { openStore, type StoreLocation } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads, type WorkerKind } from '@trellis/kit/workloads'
import { AlertKind, AlertsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import { SavedSearchesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/saved_searches.ts'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openHeldSite } from '../../test/held-site.ts'
import { clientsOf } from '../../test/open-service.ts'
import { request } from '../../test/searches.ts'
import { createListingsService, listingsConfig, searchWorker } from '../mod.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { encodeJob } from '../search/job.ts'
import { createSession } from '../session/store.ts'

const local: { caller: Caller } = { caller: { userId: 'local', kind: 'local', tier: 'local' } }
const patiently = { timeout: 120_000, interval: 50 }

let own = new AsyncDisposableStack()
afterEach(async () => {
  const before = own
  own = new AsyncDisposableStack()
  await before.disposeAsync()
})

/** A bus and workers that replicas of the service share, on one database. */
const openGround = (
  store: StoreLocation,
  environment: Record<string, string>,
  stack = own,
  workerKind: Partial<WorkerKind> = {},
) => {
  const config = readConfig(listingsConfig, environment)
  const bus = stack.use(createMemoryBus())
  const kinds = { WORKLOAD_SEARCH: { ...searchWorker(config), ...workerKind } }
  const runtime = stack.use(createLocalWorkloads({ bus, kinds, log: silentLog }))
  const workloads = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
  /** One replica, optionally with its own clock. */
  const openReplica = async (now: () => Date = () => new Date()) => {
    const service = stack.use(await createListingsService({ config, store, bus, workloads, log: silentLog, now }))
    const clientOf = clientsOf(service)
    return { saved: clientOf(SavedSearchesServiceDefinition), alerts: clientOf(AlertsServiceDefinition) }
  }
  return { openReplica }
}
type Replica = Awaited<ReturnType<ReturnType<typeof openGround>['openReplica']>>

const savedSearch = async ({ saved }: Replica, id: number) => {
  const { savedSearches } = await saved.listSavedSearches({}, local)
  return savedSearches.find((one) => one.id === id)
}

/** Saves a search, switches its monitor on, and waits until it has run. */
const monitor = async (replica: Replica, query: string, settings = {}) => {
  const { id } = await replica.saved.createSavedSearch({ name: query, query, filtersJson: '{}' }, local)
  await replica.saved.setMonitor({ savedId: id, monitorEnabled: true, ...settings }, local)
  return waitFor(async () => {
    const found = await savedSearch(replica, id)
    expect(found?.lastCheckedAt).toBeDefined()
    return found
  }, patiently)
}

const alertsOf = async ({ alerts }: Replica, includeDismissed = false) =>
  (await alerts.listAlerts({ includeDismissed }, local)).alerts

describe.each(drawnBackend(databases, 'monitors'))('monitors on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of saved searches', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())

    const openStoreOf = async () => own.use(await database.place({ name: 'listings', migrations })).location
    const openDb = async (store: StoreLocation) =>
      own.use(await openStore<ListingsTables>({ ...store, name: 'listings', migrations })).db

    const openSite = async (
      options: Parameters<typeof openHeldSite>[1] = {},
      held?: Parameters<typeof openHeldSite>[0],
    ) => {
      const site = await openHeldSite(held, options)
      own.defer(() => site.close())
      return site
    }

    test('end without waiting for the analysis of photos, which goes on', async () => {
      const site = await openSite({ withPhotos: true }, 'photo')
      const environment = { ...site.environment, LISTINGS_PHOTO_WAIT_SECONDS: '120' }
      const replica = await openGround(await openStoreOf(), environment).openReplica()
      expect(await monitor(replica, 'camera')).toMatchObject({ lastError: undefined })
      expect(await alertsOf(replica)).toHaveLength(3)
      await site.reached
    })

    test('alert once to each trusted listing, whichever search finds it, and to a change of its price', async () => {
      let price = '$100.00'
      const site = await openSite({ price: () => price })
      const replica = await openGround(await openStoreOf(), site.environment).openReplica()
      const ran = await monitor(replica, 'camera')
      expect(ran).toMatchObject({ lastError: undefined, lastRunAt: undefined, nextCheckAt: expect.any(String) })
      const first = await alertsOf(replica)
      expect(first).toHaveLength(3)
      expect(first.map(({ kind }) => kind)).toEqual(first.map(() => AlertKind.NEW_MATCH))
      expect(first[0]).toMatchObject({ savedSearchName: 'camera', price: 100, currency: 'USD', priceBefore: undefined })

      await monitor(replica, 'lens')
      expect(await alertsOf(replica)).toEqual(first)

      await replica.alerts.dismissAllAlerts({}, local)
      price = '$94.00'
      await monitor(replica, 'tripod')
      const dropped = await alertsOf(replica)
      expect(dropped.map(({ kind, price: now, priceBefore }) => [kind, now, priceBefore])).toEqual(
        dropped.map(() => [AlertKind.PRICE_DROP, 94, 100]),
      )
      expect(dropped).toHaveLength(3)

      price = '$120.00'
      await monitor(replica, 'flash')
      const risen = await alertsOf(replica)
      expect(risen.map(({ kind }) => kind)).toEqual(risen.map(() => AlertKind.PRICE_RISE))
      // A higher price is no news of a listing that the user has dismissed.
      await replica.alerts.dismissAllAlerts({}, local)
      price = '$150.00'
      await monitor(replica, 'bag')
      expect(await alertsOf(replica)).toEqual([])
      expect(await alertsOf(replica, true)).toHaveLength(3)
    })

    test('of the demo marketplace alert without any configuration to what is new there and to prices that fall', async () => {
      const store = await openStoreOf()
      const started = own.use(new AsyncDisposableStack())
      const replica = await openGround(store, {}, started).openReplica()
      const first = await monitor(replica, 'camera', { pollIntervalMin: 15, minTrustScore: 50 })
      const known = new Set((await alertsOf(replica)).map(({ platformListingId }) => platformListingId))
      expect(known.size).toBeGreaterThan(5)
      await replica.alerts.dismissAllAlerts({}, local)
      // Its workers, which have pages cached for minutes of their own clock, end with it.
      await started.disposeAsync()
      const restarted = await openGround(store, {}).openReplica(() => new Date(Date.now() + 3_600_000))
      await waitFor(async () => {
        const again = await savedSearch(restarted, first?.id ?? 0)
        expect(again?.lastCheckedAt).not.toBe(first?.lastCheckedAt)
        expect(again?.lastError).toBeUndefined()
      }, patiently)
      const later = await alertsOf(restarted)
      const [added, changed] = [AlertKind.NEW_MATCH, AlertKind.PRICE_DROP].map((each) =>
        later.filter(({ kind }) => kind === each),
      )
      expect(added?.length).toBeGreaterThan(0)
      expect(added?.some(({ platformListingId }) => known.has(platformListingId))).toBe(false)
      expect(changed?.length).toBeGreaterThan(0)
      expect(changed?.every(({ platformListingId }) => known.has(platformListingId))).toBe(true)
    })

    test('with a threshold that no score reaches do not alert', async () => {
      const site = await openSite()
      const replica = await openGround(await openStoreOf(), site.environment).openReplica()
      expect(await monitor(replica, 'camera', { minTrustScore: 100 })).toMatchObject({ lastError: undefined })
      expect(await alertsOf(replica)).toEqual([])
    })

    test('that are due run once, although two replicas look', async () => {
      const site = await openSite()
      const store = await openStoreOf()
      const { openReplica } = openGround(store, { ...site.environment, LISTINGS_MONITORS_AT_ONCE: '8' })
      const replicas = [await openReplica(), await openReplica()] as const
      await replicas[0].alerts.putAlertSettings(
        { webhook: { url: 'http://127.0.0.1:9/', secret: 'a secret of some length' } },
        local,
      )
      const ran = await Promise.all(
        Array.from({ length: 6 }, (_, index) => monitor(replicas[index % 2 === 0 ? 0 : 1], `camera ${index}`)),
      )
      expect(ran.map((one) => one?.lastError)).toEqual(ran.map(() => undefined))
      expect(site.requestedFor('search')).toBe(6)
      const db = await openDb(store)
      expect(await alertsOf(replicas[0])).toHaveLength(3)
      const deliveries = await db.selectFrom('alert_deliveries').select('content_json').execute()
      const sent = deliveries.flatMap(({ content_json }) => (JSON.parse(content_json) as { alerts: unknown[] }).alerts)
      expect(sent).toHaveLength(3)
    })

    test('that were due many times while nothing ran, run once', async () => {
      const site = await openSite()
      const store = await openStoreOf()
      const db = await openDb(store)
      await insertDue(db)
      const replica = await openGround(store, site.environment).openReplica()
      await waitFor(async () => expect((await savedSearch(replica, 1))?.lastCheckedAt).toBeDefined(), patiently)
      const due = (await savedSearch(replica, 1))?.nextCheckAt ?? ''
      expect(Date.parse(due) - Date.now()).toBeGreaterThan(59 * 60_000)
      expect(site.requestedFor('search')).toBe(1)
    })

    const insertDue = (db: Awaited<ReturnType<typeof openDb>>, change = {}) =>
      db
        .insertInto('saved_searches')
        .values({
          user_id: 'local',
          tier: 'local',
          name: 'Cameras',
          query: 'camera',
          platform: 'marketplace',
          filters_json: '{}',
          created_at: '2026-01-01T00:00:00.000Z',
          used_at: '2026-01-01',
          monitor_enabled: 1,
          poll_interval_min: 60,
          min_trust_score: 60,
          failures: 0,
          next_check_at: '2026-01-01T00:00:00.000Z',
          ...change,
        })
        .execute()

    /** States that a replica leaves when it is killed during a run. */
    const minuteAgo = () => new Date(Date.now() - 60_000)
    const killed = { run_id: 'run', run_started_at: '2026-01-01T00:00:00.000Z' }
    test.each([
      ['before its search was registered', async () => undefined],
      [
        'before its search was queued',
        async (db: Awaited<ReturnType<typeof openDb>>) => {
          const jobJson = encodeJob({ request: request(), tier: 'local', responseMode: 'stream' })
          const deadlineAt = new Date(Date.now() + 100_000)
          // It was registered while no replica looked for searches that were not queued: another one runs.
          await createSession(db, { id: 'run', userId: 'local', deadlineAt, jobJson }, minuteAgo())
        },
      ],
    ])('whose replica is killed %s are run by another', async (_when, leave) => {
      const site = await openSite()
      const store = await openStoreOf()
      const db = await openDb(store)
      const replica = await openGround(store, site.environment).openReplica()
      await leave(db)
      await insertDue(db, killed)
      await waitFor(async () => expect(await alertsOf(replica)).toHaveLength(3), patiently)
      expect(site.requestedFor('search')).toBe(1)
    })

    test('whose replica is killed while it concludes the run yield each alert once', async () => {
      const site = await openSite()
      const store = await openStoreOf()
      const db = await openDb(store)
      const { openReplica } = openGround(store, site.environment)
      const replica = await openReplica()
      await monitor(replica, 'camera')
      // As before the transaction that ended the run, which another replica had claimed.
      const [row] = await db.selectFrom('saved_searches').selectAll().execute()
      const session = await db.selectFrom('search_sessions').select('id').executeTakeFirstOrThrow()
      await db.deleteFrom('alerts').execute()
      await db.deleteFrom('alerted_listings').execute()
      await db
        .updateTable('saved_searches')
        .set({ run_id: session.id, run_started_at: row?.created_at ?? '', claimed_until: minuteAgo().toISOString() })
        .execute()
      await openReplica()
      await waitFor(async () => expect(await alertsOf(replica)).toHaveLength(3), patiently)
      const after = await db.selectFrom('saved_searches').select('run_id').executeTakeFirstOrThrow()
      expect([after.run_id, site.requestedFor('search')]).toEqual([null, 1])
    })

    test('of a marketplace that refuses show why, and wait longer with each failure', async () => {
      const server = createServer((_request, response) => response.writeHead(503, { 'retry-after': '7200' }).end())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      own.defer(async () => {
        server.closeAllConnections()
        server.close()
      })
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const environment = { MARKETPLACE_BASE_URL: url, MARKETPLACE_REQUEST_GAP_MS: '0' }
      const replica = await openGround(await openStoreOf(), environment).openReplica()
      const failed = await monitor(replica, 'camera', { pollIntervalMin: 15 })
      expect(failed?.lastError).toMatch(/\w+ .*\./)
      expect(Date.parse(failed?.nextCheckAt ?? '') - Date.now()).toBeGreaterThan(29 * 60_000)
      expect(await alertsOf(replica)).toEqual([])
    })

    test.skipIf(process.platform !== 'linux')(
      'whose worker is killed are repeated within minutes, also after a restart, and show no internals',
      async () => {
        const site = await openSite({}, 'search')
        const store = await openStoreOf()
        const started = own.use(new AsyncDisposableStack())
        // No process is as small as that.
        const replica = await openGround(store, site.environment, started, { residentMegabytes: 1 }).openReplica()
        const failed = await monitor(replica, 'camera', { pollIntervalMin: 1440 })
        expect(failed?.lastError).toMatch(/^The search failed because of a problem of this installation/)
        const minutes = (Date.parse(failed?.nextCheckAt ?? '') - Date.parse(failed?.lastCheckedAt ?? '')) / 60_000
        expect([minutes >= 1, minutes <= 2.2]).toEqual([true, true])
        await started.disposeAsync()
        site.release()
        const before = site.requestedFor('search')
        const ground = openGround(store, site.environment)
        const later = () => new Date(Date.now() + 3 * 60_000)
        const [restarted] = [await ground.openReplica(later), await ground.openReplica(later)]
        await waitFor(async () => {
          const again = await savedSearch(restarted, failed?.id ?? 0)
          expect(again?.lastCheckedAt).not.toBe(failed?.lastCheckedAt)
          expect(again?.lastError).toBeUndefined()
        }, patiently)
        expect(await alertsOf(restarted)).toHaveLength(3)
        expect(site.requestedFor('search')).toBe(before + 1)
      },
    )

    test('that are switched off and on again during a run start over at once', async () => {
      const site = await openSite({}, 'search')
      const replica = await openGround(await openStoreOf(), site.environment).openReplica()
      const { id } = await replica.saved.createSavedSearch({ name: 'x', query: 'camera' }, local)
      await replica.saved.setMonitor({ savedId: id, monitorEnabled: true }, local)
      await site.reached
      await replica.saved.setMonitor({ savedId: id, monitorEnabled: false }, local)
      await replica.saved.setMonitor({ savedId: id, monitorEnabled: true }, local)
      site.release()
      const ran = await waitFor(async () => {
        const found = await savedSearch(replica, id)
        expect(found?.lastCheckedAt).toBeDefined()
        return found
      }, patiently)
      // The run that was stopped has no outcome: this one is the next.
      expect(ran?.lastError).toBeUndefined()
      expect(await alertsOf(replica)).toHaveLength(3)
    })

    test('with filters that no search accepts show which, and do not run', async () => {
      const site = await openSite()
      const store = await openStoreOf()
      // Such filters were saved by earlier versions.
      await insertDue(await openDb(store), { filters_json: '{"max_price":"x"}' })
      const replica = await openGround(store, site.environment).openReplica()
      await waitFor(async () => {
        expect((await savedSearch(replica, 1))?.lastError).toBe('The filter "max_price" must be a number.')
      }, patiently)
      expect(site.requestedFor('search')).toBe(0)
    })

    test.each([
      ['has no monitors', 'free', 'Monitoring needs the paid tier'],
      ['allows fewer', 'paid', 'Your tier allows 5 monitors'],
    ])('of a user whose tier now %s are switched off, with the reason', async (_what, tier, reason) => {
      const site = await openSite()
      const store = await openStoreOf()
      const db = await openDb(store)
      for (let left = 6; left > 0; left -= 1)
        await insertDue(db, {
          tier,
          next_check_at: left === 1 ? '2026-01-01T00:00:00.000Z' : '2999-01-01T00:00:00.000Z',
        })
      await openGround(store, site.environment).openReplica()
      const columns = ['monitor_enabled', 'next_check_at', 'last_error'] as const
      const newest = () => db.selectFrom('saved_searches').select(columns).where('id', '=', 6).executeTakeFirstOrThrow()
      await waitFor(async () => expect((await newest()).last_error).not.toBeNull(), patiently)
      expect(await newest()).toEqual({
        monitor_enabled: 0,
        next_check_at: null,
        last_error: expect.stringContaining(reason),
      })
      expect(site.requestedFor('search')).toBe(0)
    })

    test('that are deleted during a run stop it, and do not alert', async () => {
      const site = await openHeldSite('search')
      own.defer(() => site.close())
      const store = await openStoreOf()
      const db = await openDb(store)
      const replica = await openGround(store, site.environment).openReplica()
      const { saved } = replica
      const { id } = await saved.createSavedSearch({ name: 'x', query: 'camera' }, local)
      await saved.setMonitor({ savedId: id, monitorEnabled: true }, local)
      await site.reached
      await saved.deleteSavedSearch({ savedId: id }, local)
      await waitFor(async () => {
        const session = await db.selectFrom('search_sessions').select('ended_at').executeTakeFirstOrThrow()
        expect(session.ended_at).not.toBeNull()
      }, patiently)
      expect(await alertsOf(replica)).toEqual([])
    })
  })
})
