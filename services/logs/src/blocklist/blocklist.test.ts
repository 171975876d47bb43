import { createEgress } from '@trellis/kit/egress'
import { createLeases } from '@trellis/kit/leases'
import { migrateStore, openStore, type StoreLocation } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LeaseTables, leaseRows } from '../replicated/lease-rows.ts'
import { logsSchema } from '../schemas.ts'
import { type CatalogueTables, createCatalogue } from '../segments/catalogue-store.ts'
import { shardLimits } from '../segments/shard.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { createSealingKeys } from '../settings/sealing-keys.ts'
import { createSettings } from '../settings/settings.ts'
import type { SettingTables } from '../settings/store.ts'
import { createLogEngine } from '../threads/engine.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { startAdguard, startPihole6 } from './filters/servers-for-tests.ts'
import { openBlocklist } from './open-blocklist.ts'
import type { BlocklistTables } from './store.ts'

type Tables = BlocklistTables & LeaseTables & SettingTables & CatalogueTables

/** A log store of its own, and two replicas of the block list that read it. */
const openDependencies = async (location: StoreLocation, roundMilliseconds?: number) => {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(await temporaryDirectory())
  const own = { dataDirectory: directory.path }
  await migrateStore(own, logsSchema)
  const entries = opened.use(await openStore<Tables>({ ...own, ...logsSchema }))
  const engine = opened.use(
    createLogEngine({
      directory: directory.path,
      catalogue: createCatalogue(entries.db),
      limits: shardLimits,
      inFlightBytes: 8_000_000,
      idleMilliseconds: 1_000,
      onProblem: (problem) => expect.unreachable(problem),
    }),
  )
  const upstream = opened.use(createEgress({ blockPrivate: false }))
  /** Branches that do not respond; the entries above act as those of the branches that do. */
  const away: string[] = []
  const withBranches: Pick<LogEngine, 'search' | 'sources'> = {
    search: async (...request) => ({ ...(await engine.search(...request)), ...(away.length > 0 && { missing: away }) }),
    sources: (filters, signal, onMissing) => {
      if (away.length > 0) onMissing?.(away)
      return engine.sources(filters, signal)
    },
  }
  const open = async () => {
    const store = opened.use(await openStore<Tables>({ ...location, ...logsSchema }))
    const keys = createSealingKeys({ configured: ['k'.repeat(32)], file: undefined })
    const settings = createSettings({ db: store.db, keys, defaults: {}, now: Date.now })
    const options = {
      db: store.db,
      engine: withBranches,
      settings,
      upstream,
      log: silentLog,
      leases: createLeases({ ...leaseRows(store.db), now: Date.now }),
      ...(roundMilliseconds && { roundMilliseconds }),
    }
    const set = (changes: Record<string, unknown>) => settings.update(Object.keys(changes), changes)
    return { ...opened.use(openBlocklist(options)), set }
  }
  const [one, other] = [await open(), await open()]
  let sequence = 0
  const stack = opened.move()
  return {
    one,
    other,
    away,
    deleteSource: (sourceId: string) => engine.deleteSource(sourceId),
    push: (lines: readonly string[], sourceId = 'dns') =>
      engine.ingest(
        batchOf(lines.map((text) => ({ text, sourceId, sequence: ++sequence, time: Date.parse(text.slice(0, 20)) }))),
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const query = (second: number, domain: string, client = '192.168.1.20', day = 1) =>
  `2026-03-0${day}T09:15:${String(second).padStart(2, '0')}Z dnsmasq[811]: query[A] ${domain} from ${client}`
const { signal } = new AbortController()

const drawnDatabases = drawnBackend(databases, 'logs/blocklist/blocklist')

describe.each(drawnDatabases)('the block list on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('as rows', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())
    const dependencies = async (roundMilliseconds?: number) =>
      openDependencies((await database.place(logsSchema)).location, roundMilliseconds)

    test('a scan finds domains with count, times, sources and devices, ordered by suspicion', async () => {
      await using both = await dependencies()
      await both.one.set({ device_names: '{"192.168.1.20": "TV"}' })
      await both.push([
        query(1, 'metrics.example.com'),
        query(5, 'metrics.example.com'),
        query(3, 'metrics.example.com', '192.168.1.21'),
        query(2, 'www.example.org', '192.168.1.21'),
        query(2, 'nas.local'),
        query(2, '0.pool.ntp.org'),
        '2026-03-01T09:15:02Z sshd[7]: Failed password for root from 192.0.2.7',
      ])
      expect(await both.one.scan(signal)).toMatchObject({ domains: 2, newCandidates: 2, isComplete: true })
      expect(await both.other.list(undefined)).toMatchObject([
        {
          domain: 'metrics.example.com',
          status: 'candidate',
          count: 3,
          firstSeen: '2026-03-01T09:15:01.000Z',
          lastSeen: '2026-03-01T09:15:05.000Z',
          sourceIds: ['dns'],
          device: 'TV',
          devices: ['TV', '192.168.1.21'],
          lastError: null,
          score: 25,
        },
        { domain: 'www.example.org', count: 1, device: '192.168.1.21', score: 0, reasons: [] },
      ])
    })

    test('a scan resumes where the last one stopped, on any replica: late lines count, none counts twice', async () => {
      await using both = await dependencies()
      const countOf = async () => (await both.one.list(undefined)).map(({ domain, count }) => [domain, count])
      await both.push([query(1, 'ads.example.com'), query(2, 'ads.example.com')])
      await both.one.scan(signal)
      expect(await both.other.scan(signal)).toMatchObject({ entriesRead: 0, isComplete: true })
      expect(await countOf()).toEqual([['ads.example.com', 2]])
      await both.push([query(3, 'ads.example.com'), query(1, 'ads.example.com', '192.168.1.20', 2)])
      await both.push([query(1, 'ads.example.com')], 'router')
      expect(await both.other.scan(signal)).toMatchObject({ newCandidates: 0, domains: 1 })
      expect(await countOf()).toEqual([['ads.example.com', 5]])
      expect((await both.one.list(undefined))[0]).toMatchObject({
        sourceIds: ['dns', 'router'],
        lastSeen: '2026-03-02T09:15:01.000Z',
      })
    })

    test('lines many years apart are scanned, and each once', async () => {
      await using both = await dependencies()
      const inYear = (year: number) => query(1, `y${year}.example.com`).replace('2026', String(year))
      const years = [1969, 1999, 2024, 2026]
      await both.push(years.map(inYear))
      expect(await both.one.scan(signal)).toMatchObject({ entriesRead: 4, newCandidates: 4, isComplete: true })
      await both.push([inYear(2012)])
      expect(await both.one.scan(signal)).toMatchObject({ entriesRead: 1, newCandidates: 1, isComplete: true })
      const found = await both.one.list(undefined)
      expect(found.map(({ domain, count }) => [domain, count]).sort()).toEqual(
        [1969, 1999, 2012, 2024, 2026].map((year) => [`y${year}.example.com`, 1]),
      )
    })

    test('new lines are scanned although more entries of their source were deleted, and none counts twice', async () => {
      await using both = await dependencies()
      const countOf = async () => (await both.one.list(undefined)).map(({ domain, count }) => [domain, count]).sort()
      await both.push([1, 2, 3, 4].map((second) => query(second, 'ads.example.com')))
      await both.one.scan(signal)
      await both.deleteSource('dns')
      await both.push([query(1, 'ads.example.com'), query(2, 'new.example.com')])
      expect(await both.one.scan(signal)).toMatchObject({ newCandidates: 1, isComplete: true })
      await both.push([query(1, 'late.example.com', '192.168.1.20', 9)])
      expect(await both.one.scan(signal)).toMatchObject({ newCandidates: 1, isComplete: true })
      expect(await both.one.scan(signal)).toMatchObject({ entriesRead: 0 })
      expect(await countOf()).toEqual([
        ['ads.example.com', 4],
        ['late.example.com', 1],
        ['new.example.com', 1],
      ])
    })

    test('a branch that does not respond is reported, and the next scan reads what it has', async () => {
      await using both = await dependencies()
      await both.push([query(1, 'ads.example.com')])
      both.away.push('attic')
      expect(await both.one.scan(signal)).toMatchObject({ domains: 1, isComplete: false, missing: ['attic'] })
      both.away.length = 0
      await both.push([query(2, 'ads.example.com')])
      expect(await both.one.scan(signal)).toMatchObject({ domains: 1, isComplete: true, missing: [] })
      expect(await both.one.list(undefined)).toMatchObject([{ domain: 'ads.example.com', count: 2 }])
    })

    test('router_source_ids restricts the scan to sources with these ids or prefixes', async () => {
      await using both = await dependencies()
      await both.one.set({ router_source_ids: ['syslog:router'] })
      await both.push([query(1, 'a.example.com')], 'syslog:router:dnsmasq')
      await both.push([query(1, 'b.example.com')], 'syslog:nas:app')
      await both.one.scan(signal)
      expect((await both.one.list(undefined)).map(({ domain }) => domain)).toEqual(['a.example.com'])
    })

    test('of two concurrent scans one is rejected as a conflict, and nothing counts twice', async () => {
      await using both = await dependencies()
      await both.push(Array.from({ length: 3_000 }, (_, number) => query(number % 60, 'ads.example.com')))
      const results = await Promise.allSettled([both.one.scan(signal), both.other.scan(signal)])
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      for (const reason of refused) expect(reason).toMatchObject({ kind: 'conflict' })
      expect(refused.length).toBeLessThan(2)
      expect((await both.one.list(undefined))[0]?.count).toBe(3_000)
    })

    test('configured sources are scanned in the background, by one replica at a time', async () => {
      await using both = await dependencies(20)
      await both.push([query(1, 'a.example.com')], 'router')
      await both.push([query(1, 'b.example.com')], 'other')
      await both.one.set({ router_source_ids: ['router'] })
      await expect.poll(async () => (await both.one.list(undefined)).length).toBe(1)
      await both.push([query(2, 'a.example.com'), query(3, 'a.example.com')], 'router')
      await expect.poll(async () => (await both.one.list(undefined))[0]?.count).toBe(3)
    })

    const approved = async (both: Awaited<ReturnType<typeof dependencies>>) => {
      await both.push([query(1, 'ads.example.com')])
      await both.one.scan(signal)
      const [candidate] = await both.one.list('candidate')
      const id = candidate?.id ?? ''
      await both.one.decide(id, 'approve')
      return id
    }

    test('candidate → approved → blocked (pushed) → unblocked; pushing an unapproved candidate is a conflict', async () => {
      await using both = await dependencies()
      await using server = await startPihole6('hunter2')
      await both.one.set({ dns_filter_url: `${server.url}/admin/`, dns_filter_api_key: 'hunter2' })
      await both.push([query(1, 'ads.example.com')])
      await both.one.scan(signal)
      const [{ id } = { id: '' }] = await both.one.list('candidate')
      const refused = { kind: 'conflict' }
      await expect(both.one.push(id, signal)).rejects.toMatchObject(refused)
      await expect(both.one.unblock(id, signal)).rejects.toMatchObject(refused)
      expect(await both.other.decide(id, 'ignore')).toMatchObject({ status: 'ignored' })
      await expect(both.one.push(id, signal)).rejects.toMatchObject(refused)
      expect(await both.other.decide(id, 'approve')).toMatchObject({ status: 'approved' })
      expect(await both.one.push(id, signal)).toMatchObject({ status: 'blocked', lastError: null })
      expect([...server.denied.keys()]).toEqual(['ads.example.com'])
      await expect(both.other.push(id, signal)).rejects.toMatchObject(refused)
      for (const action of ['approve', 'ignore', 'candidate'] as const)
        await expect(both.other.decide(id, action)).rejects.toMatchObject(refused)
      expect(await both.other.unblock(id, signal)).toMatchObject({ status: 'unblocked' })
      expect(server.denied.size).toBe(0)
      expect((await both.one.list('unblocked')).map((one) => one.id)).toEqual([id])
      await expect(both.one.decide('nope', 'approve')).rejects.toMatchObject({ kind: 'not_found' })
      await expect(both.one.push('nope', signal)).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('a failed push stores last_error, returns 502 with the message of the filter, and can be retried', async () => {
      await using both = await dependencies()
      await using server = await startPihole6('hunter2')
      await both.one.set({ dns_filter_url: server.url, dns_filter_api_key: 'hunter2' })
      const id = await approved(both)
      server.override.reply = { status: 500, json: { error: { message: 'database is read-only' } } }
      const failed = { kind: 'upstream_failed', message: expect.stringContaining('database is read-only') }
      await expect(both.one.push(id, signal)).rejects.toMatchObject(failed)
      expect(await both.other.list('push_failed')).toMatchObject([{ lastError: expect.stringContaining('read-only') }])
      server.override.reply = undefined
      expect(await both.other.push(id, signal)).toMatchObject({ status: 'blocked', lastError: null })
      server.override.reply = { status: 500, json: { error: { message: 'database is locked' } } }
      await expect(both.one.unblock(id, signal)).rejects.toMatchObject({ kind: 'upstream_failed' })
      expect(await both.other.list('blocked')).toMatchObject([{ lastError: expect.stringContaining('locked') }])
    })

    test('503: blocklist push or test when the DNS filter URL or key is unconfigured', async () => {
      await using both = await dependencies()
      const id = await approved(both)
      const missing = (...names: string[]) => ({
        kind: 'unavailable',
        message: expect.stringContaining(names.join(' and ')),
      })
      await expect(both.one.test(signal)).rejects.toMatchObject(missing('dns_filter_url', 'dns_filter_api_key'))
      await expect(both.one.push(id, signal)).rejects.toMatchObject(missing('dns_filter_url', 'dns_filter_api_key'))
      await both.one.set({ dns_filter_url: 'http://127.0.0.1:9' })
      await expect(both.one.push(id, signal)).rejects.toMatchObject(missing('dns_filter_api_key'))
      await both.one.set({ dns_filter_version: 'adguard', dns_filter_api_key: 'no-user' })
      await expect(both.one.test(signal)).rejects.toMatchObject(missing('user:password'))
      expect(await both.one.list('approved')).toHaveLength(1)
    })

    test('two replicas that push to AdGuard Home concurrently lose no rule', async () => {
      await using both = await dependencies()
      await using server = await startAdguard('admin', 'pass')
      await both.one.set({
        dns_filter_url: server.url,
        dns_filter_version: 'adguard',
        dns_filter_api_key: 'admin:pass',
        router_source_ids: ['dns'],
      })
      await both.push(Array.from({ length: 8 }, (_, number) => query(number, `ads${number}.example.com`)))
      await both.one.scan(signal)
      const ids = (await both.one.list('candidate')).map(({ id }) => id)
      for (const id of ids) await both.one.decide(id, 'approve')
      await Promise.all(ids.map((id, index) => (index % 2 ? both.one : both.other).push(id, signal)))
      expect(server.state.rules).toHaveLength(2 + ids.length)
      expect(await both.one.list('blocked')).toHaveLength(ids.length)
    })
  })
})
