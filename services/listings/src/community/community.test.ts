import { readConfig } from '@trellis/kit/config'
import { connectInProcess } from '@trellis/kit/rpc'
import { openStore, sql } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { CommunityServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/community.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { postgresMissing } from '@trellis/test/support/postgres'
import { openSharedDatabases, type SharedDatabases } from '@trellis/test/support/shared-databases'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { account, anonymous, guest, local } from '../../test/callers.ts'
import { listingsConfig } from '../config.ts'
import { type ListingsTables, listingsSchema } from '../schemas.ts'
import { communitySchema, openCommunityDatabase, type SharedSignalTables } from './community-database.ts'
import { erasePublishedSignals } from './erase-published.ts'
import { openOutbox } from './outbox.ts'
import { publishSignal } from './publish-signal.ts'
import { communityRpc } from './rpc.ts'
import { saveSignal } from './store.ts'

const signal = { platform: 'marketplace', platformSellerId: 'A_Seller', flags: ['new_account', 'suspicious_price'] }

describe.each(databases)('community signals on $name', ({ start, isMissing }) => {
  let database: RunningDatabase
  let community: SharedDatabases | undefined
  let own = new AsyncDisposableStack()
  beforeAll(async () => {
    if (!isMissing) database = await start()
    if (postgresMissing === undefined) community = await openSharedDatabases()
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await community?.[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    const before = own
    own = new AsyncDisposableStack()
    await before.disposeAsync()
  })

  const open = async (communityUrl?: string) => {
    const { location } = own.use(await database.place(listingsSchema))
    const { db } = own.use(await openStore<ListingsTables>({ ...location, ...listingsSchema }))
    const time = { now: new Date('2026-03-01T09:15:02.000Z') }
    const now = () => time.now
    const logged: { level: string; message: string | undefined }[] = []
    const note = (level: string) => (_context: unknown, message?: string) => void logged.push({ level, message })
    const log = { ...silentLog, warn: note('warn'), error: note('error') }
    const config = readConfig(listingsConfig, communityUrl === undefined ? {} : { COMMUNITY_DB_URL: communityUrl })
    const dependencies = { db, config, log, now }
    const client = connectInProcess(CommunityServiceDefinition, communityRpc(dependencies))
    /** A replica that publishes until the end of the test, or until `end` is called. */
    const startReplica = () => {
      const ending = new AbortController()
      const rounds = openOutbox({ ...dependencies, signal: ending.signal, roundMilliseconds: 20, random: () => 1 })
      const end = async () => {
        ending.abort()
        await rounds[Symbol.asyncDispose]()
      }
      own.defer(end)
      return { ...rounds, end }
    }
    const waiting = () => db.selectFrom('published_signals').selectAll().execute()
    return { db, dependencies, client, startReplica, waiting, time, logged }
  }

  const published = async (url: string) => {
    await using store = await openStore<SharedSignalTables>({ databaseUrl: url, ...communitySchema })
    return await store.db.selectFrom('seller_signals').selectAll().orderBy('created_at').execute()
  }

  test.skipIf(isMissing)('a user has one signal for each seller, and a later one replaces it', async () => {
    const { db, client } = await open()
    await client.sendCommunitySignal({ sellerId: 'marketplace::a_seller', confirmed: true }, { caller: local })
    await client.sendCommunitySignal({ sellerId: ' marketplace::a_seller', confirmed: false }, { caller: local })
    await client.sendCommunitySignal({ sellerId: 'marketplace::a_seller', confirmed: true }, { caller: guest('1') })
    const rows = await db.selectFrom('community_signals').selectAll().orderBy('user_id').execute()
    expect(rows.map(({ user_id, seller_id, confirmed }) => [user_id, seller_id, confirmed])).toEqual([
      ['guest:1', 'marketplace::a_seller', 1],
      ['local', 'marketplace::a_seller', 0],
    ])
  })

  test.skipIf(isMissing)('visitors without a session get 403, a blank seller 422', async () => {
    const { client } = await open()
    const sent = { sellerId: 'a_seller', confirmed: true }
    await expect(client.sendCommunitySignal(sent, { caller: anonymous })).rejects.toMatchObject({ status: 403 })
    await expect(client.sendCommunitySignal({ ...sent, sellerId: ' ' }, { caller: local })).rejects.toMatchObject({
      status: 422,
    })
  })

  test.skipIf(isMissing)('the oldest signals of a user, and of all guests, are deleted beyond the limits', async () => {
    const { db } = await open()
    const limits = { user: 2, guests: 3 }
    const save = (user_id: string, by_guest: number, index: number) => {
      const recorded_at = new Date(Date.UTC(2026, 2, 1, 9, index)).toISOString()
      return saveSignal(db, { user_id, by_guest, seller_id: `s${index}`, confirmed: 1, recorded_at }, limits)
    }
    for (const index of [1, 2, 3]) await save(account('anna').userId, 0, index)
    for (const index of [4, 5, 6, 7]) await save(`guest:${index}`, 1, index)
    const rows = await db.selectFrom('community_signals').select('seller_id').orderBy('seller_id').execute()
    expect(rows.map(({ seller_id }) => seller_id)).toEqual(['s2', 's3', 's5', 's6', 's7'])
  })

  test.skipIf(isMissing)('without a community database nothing is published', async () => {
    const { dependencies, waiting } = await open()
    await publishSignal(dependencies, signal)
    expect(await waiting()).toEqual([])
  })

  test.skipIf(isMissing)('a failure to store a signal is logged and not thrown', async () => {
    const { db, dependencies, logged } = await open('postgresql://127.0.0.1:9/community')
    await db.schema.dropTable('published_signals').execute()
    await publishSignal(dependencies, signal)
    expect(logged).toEqual([{ level: 'warn', message: 'community: a signal could not be stored for publication' }])
  })

  test.skipIf(isMissing)(
    'signals wait while the database cannot be reached, with growing pauses, and are abandoned after a week',
    async () => {
      const { dependencies, startReplica, waiting, time } = await open('postgresql://127.0.0.1:9/community')
      await publishSignal(dependencies, signal)
      startReplica()
      const next = async () => (await waiting()).map(({ next_attempt_at }) => next_attempt_at - time.now.getTime())
      const attempts = async () => (await waiting()).map((row) => (row.claimed_until === 0 ? row.attempts : 0))
      await expect.poll(attempts).toEqual([1])
      expect(await next()).toEqual([5_000])
      time.now = new Date(time.now.getTime() + 5_000)
      await expect.poll(attempts).toEqual([2])
      expect(await next()).toEqual([10_000])
      time.now = new Date(time.now.getTime() + 8 * 86_400_000)
      await expect.poll(waiting).toEqual([])
    },
  )

  const noCommunity = isMissing || postgresMissing !== undefined

  test.skipIf(noCommunity)(
    'a signal is published with its fields, and the schema is created for the first',
    async () => {
      const url = (await community?.createDatabase()) ?? ''
      const { dependencies, startReplica, waiting } = await open(url)
      await publishSignal(dependencies, signal)
      startReplica()
      await expect.poll(waiting).toEqual([])
      expect(await published(url)).toEqual([
        {
          id: expect.any(String),
          platform: 'marketplace',
          platform_seller_id: 'A_Seller',
          confirmed_scam: 1,
          signal_source: 'blocklist_add',
          flags: '["new_account","suspicious_price"]',
          created_at: '2026-03-01T09:15:02.000Z',
        },
      ])
    },
  )

  test.skipIf(noCommunity)(
    'two replicas publish each signal once, also after one died before it noted that',
    async () => {
      const url = (await community?.createDatabase()) ?? ''
      const { db, dependencies, startReplica, waiting, time } = await open(url)
      for (let index = 0; index < 250; index += 1)
        await publishSignal(dependencies, { ...signal, platformSellerId: `seller${index}` })
      // Another replica has published one, and died before it deleted the row.
      const [first] = await waiting()
      await using store = await openCommunityDatabase(url, silentLog)
      const shared = {
        confirmed_scam: 1,
        signal_source: 'blocklist_add',
        flags: '[]',
        created_at: '2026-03-01T09:00:00Z',
      }
      await store.db
        .insertInto('seller_signals')
        .values({ id: first?.id ?? '', platform: 'marketplace', platform_seller_id: 'seller', ...shared })
        .execute()
      await db
        .updateTable('published_signals')
        .set({ claimed_until: time.now.getTime() + 120_000, attempts: 1 })
        .where('id', '=', first?.id ?? '')
        .execute()
      startReplica()
      startReplica()
      await expect.poll(waiting).toHaveLength(1)
      time.now = new Date(time.now.getTime() + 121_000)
      await expect.poll(waiting).toEqual([])
      expect(await published(url)).toHaveLength(250)
    },
  )

  test.skipIf(noCommunity)(
    'without the right to create the schema, the log names the rights to grant, which suffice',
    async () => {
      const url = (await community?.createDatabase()) ?? ''
      const role = `limited_${process.pid}_${Math.trunc(performance.now())}`
      await using admin = await openStore<unknown>({ databaseUrl: url, name: 'public', migrations: [] })
      await sql`create role ${sql.id(role)} login password 'word'`.execute(admin.db)
      own.defer(async () => {
        await using again = await openStore<unknown>({ databaseUrl: url, name: 'public', migrations: [] })
        await sql`drop owned by ${sql.id(role)}`.execute(again.db)
        await sql`drop role ${sql.id(role)}`.execute(again.db)
      })
      const limited = new URL(url)
      limited.username = role
      limited.password = 'word'
      const { dependencies, startReplica, waiting, time, logged } = await open(limited.href)
      await publishSignal(dependencies, signal)
      const { end } = startReplica()
      await expect
        .poll(() => logged)
        .toContainEqual({
          level: 'error',
          message: expect.stringContaining('grant USAGE on the schema'),
        })
      await end()
      await (await openCommunityDatabase(url, silentLog)).close()
      await sql`grant usage on schema community to ${sql.id(role)}`.execute(admin.db)
      await sql`grant select on community.schema_migrations to ${sql.id(role)}`.execute(admin.db)
      await sql`grant select, insert, delete on community.seller_signals to ${sql.id(role)}`.execute(admin.db)
      time.now = new Date(time.now.getTime() + 3_600_000)
      startReplica()
      await expect.poll(waiting).toEqual([])
      expect(await published(url)).toHaveLength(1)
      const person = { platform: 'marketplace', identifiers: ['a_seller'] }
      expect(await erasePublishedSignals(dependencies, person)).toBe(1)
      expect(await published(url)).toEqual([])
    },
  )
})
