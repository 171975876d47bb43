import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Migration,
  MigrationError,
  migrateStore,
  openStore,
  type PostgresLimits,
  sql,
  transact,
} from '@trellis/kit/store'
import { createLog } from '@trellis/kit/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresMissing, startTestPostgres, type TestPostgres } from '../support/postgres.ts'

type Tables = { ledger: { entry: string }; totals: { id: string; total: number } }

const migrations: Migration[] = [
  {
    number: 1,
    name: 'ledger and totals',
    up: async (db) => {
      await db.schema
        .createTable('ledger')
        .addColumn('entry', 'text', (column) => column.primaryKey())
        .execute()
      await db.schema
        .createTable('totals')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('total', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
]

const schema = { name: 'trouble', migrations }
const unavailable = { kind: 'unavailable', retryAfterSeconds: 1 }

/** What a log was told, as the words of its lines. */
const heardLog = () => {
  const received: string[] = []
  const write = (text: string) => void received.push((JSON.parse(text) as { msg: string }).msg)
  return { received, log: createLog({ level: 'info', format: 'json', destination: { write } }) }
}

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(20)
}

describe.skipIf(postgresMissing !== undefined)(
  `Postgres in trouble${postgresMissing ? ` (${postgresMissing})` : ''}`,
  () => {
    let postgres: TestPostgres
    beforeAll(async () => {
      postgres = await startTestPostgres()
    })
    afterAll(() => postgres[Symbol.asyncDispose]())

    const open = async (limits: Partial<PostgresLimits> = {}, databaseUrl?: string) => {
      const location = { databaseUrl: databaseUrl ?? (await postgres.createDatabase()), limits }
      await migrateStore(location, schema)
      return { location, store: await openStore<Tables>({ ...location, ...schema }) }
    }

    describe('schemas', () => {
      test('of many migrators at once each step is applied by one', async () => {
        const databaseUrl = await postgres.createDatabase()
        const steps: Migration[] = [
          ...migrations,
          { number: 2, name: 'slow', up: (db) => sql`select pg_sleep(0.3)`.execute(db).then(() => undefined) },
        ]
        const applied = await Promise.all(
          [1, 2, 3, 4].map(() => migrateStore({ databaseUrl }, { ...schema, migrations: steps })),
        )
        expect(applied.flat().toSorted()).toEqual([1, 2])
      })

      test('a migrator waits for the lock of another, which a dead one does not hold', async () => {
        const { store, location } = await open()
        const { received, log } = heardLog()
        const held = Promise.withResolvers<number>()
        const holder = store.db
          .connection()
          .execute(async (connection) => {
            await sql`select pg_advisory_lock(hashtext('trellis migrations'), hashtext('trouble'))`.execute(connection)
            const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
            held.resolve(rows[0]?.pid ?? 0)
            await sql`select pg_sleep(60)`.execute(connection)
          })
          .catch((error: unknown) => error)
        const pid = await held.promise
        const migrating = migrateStore(location, { ...schema, log })
        await until(() => received.some((words) => words.includes('another process is migrating')))
        await sql`select pg_terminate_backend(${pid})`.execute(store.db)
        expect(await migrating).toEqual([])
        expect(await holder).toMatchObject(unavailable)
        await store.close()
      })

      test('a replica waits for an older schema, saying so, and starts when it is up to date', async () => {
        const databaseUrl = await postgres.createDatabase()
        const { received, log } = heardLog()
        const opening = openStore<Tables>({ databaseUrl, ...schema, log })
        await until(() => received.includes('waiting for the migrations'))
        await migrateStore({ databaseUrl }, schema)
        await using store = await opening
        expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        expect(received).toEqual(['waiting for the migrations'])
      })

      test('a replica that waited in vain says what to do, and has changed nothing', async () => {
        const databaseUrl = await postgres.createDatabase()
        const opening = openStore<Tables>({ databaseUrl, ...schema, schemaWaitMilliseconds: 300 })
        await expect(opening).rejects.toThrow(
          /"trouble" of the database is at step 0.*needs 1: run the migrations first/,
        )
        await using other = await openStore<{ schemata: object }>({ databaseUrl, name: 'public', migrations: [] })
        const { rows } = await sql`select 1 from pg_namespace where nspname = 'trouble'`.execute(other.db)
        expect(rows).toEqual([])
      })

      test('a replica of an older version refuses a newer schema at once', async () => {
        const { location, store } = await open()
        await store.close()
        await expect(openStore({ ...location, name: 'trouble', migrations: [] })).rejects.toThrow(MigrationError)
        await expect(migrateStore(location, { name: 'trouble', migrations: [] })).rejects.toThrow(/newer version/)
      })

      test('a wrong password, a database that is not there, and a lack of rights are said in a sentence', async () => {
        const { location } = await open()
        const wrong = new URL(location.databaseUrl)
        wrong.password = 'wrong'
        await expect(openStore({ databaseUrl: wrong.href, ...schema })).rejects.toThrow(
          /rejects this program: password/,
        )
        const nowhere = postgres.server.url('nowhere')
        await expect(migrateStore({ databaseUrl: nowhere }, schema)).rejects.toThrow(
          /database "nowhere" does not exist/,
        )
        await using admin = await openStore<unknown>({ ...location, name: 'public', migrations: [] })
        await sql`create role reader login password 'reader'`.execute(admin.db)
        const reader = new URL(location.databaseUrl)
        reader.username = reader.password = 'reader'
        await expect(migrateStore({ databaseUrl: reader.href }, { ...schema, name: 'mine' })).rejects.toThrow(
          /rejects this program: permission denied/,
        )
        await expect(openStore({ databaseUrl: 'not an address: secret', ...schema })).rejects.toThrow(
          /^(?!.*secret).*is invalid/,
        )
      })

      test('services of one database have a schema each', async () => {
        const databaseUrl = await postgres.createDatabase()
        const stores = []
        for (const name of ['one', 'two']) {
          await migrateStore({ databaseUrl }, { name, migrations })
          const store = await openStore<Tables>({ databaseUrl, name, migrations })
          await store.db.insertInto('ledger').values({ entry: name }).execute()
          stores.push(store)
        }
        for (const [index, name] of ['one', 'two'].entries())
          expect(await stores[index]?.db.selectFrom('ledger').selectAll().execute()).toEqual([{ entry: name }])
        for (const store of stores) await store.close()
      })
    })

    describe('limits', () => {
      test('a statement that takes too long is a 503, and the connection goes on', async () => {
        const { store } = await open({ statementMilliseconds: 200, connections: 1 })
        await expect(sql`select pg_sleep(30)`.execute(store.db)).rejects.toMatchObject(unavailable)
        expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        await store.close()
      })

      test('a server that answers no more is a 503, and its connection is given up', async () => {
        const { store } = await open({ statementMilliseconds: 200, connections: 1 })
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
        const pid = rows[0]?.pid ?? 0
        process.kill(pid, 'SIGSTOP')
        try {
          await expect(store.db.selectFrom('ledger').selectAll().execute()).rejects.toMatchObject(unavailable)
          expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        } finally {
          process.kill(pid, 'SIGCONT')
        }
        await store.close()
      })

      test('a lock that is not given up in time is a 503', async () => {
        const { store } = await open({ lockMilliseconds: 200 })
        await store.db.insertInto('totals').values({ id: 'a', total: 0 }).execute()
        const holder = await store.db.startTransaction().execute()
        await holder.updateTable('totals').set({ total: 1 }).where('id', '=', 'a').execute()
        await expect(store.db.updateTable('totals').set({ total: 2 }).execute()).rejects.toMatchObject(unavailable)
        await holder.rollback().execute()
        await store.db.updateTable('totals').set({ total: 3 }).execute()
        await store.close()
      })

      test('where all connections are taken a query waits for a while, then is a 503; too many waiting are one at once', async () => {
        const { store } = await open({ connections: 2, connectMilliseconds: 300, waiting: 3 })
        const holders = await Promise.all([1, 2].map(() => store.db.startTransaction().execute()))
        const query = () => store.db.selectFrom('ledger').selectAll().execute()
        const waiting = [1, 2, 3].map(() => expect(query()).rejects.toMatchObject(unavailable))
        await expect(query()).rejects.toMatchObject(unavailable)
        await Promise.all(waiting)
        for (const holder of holders) await holder.rollback().execute()
        expect(await query()).toEqual([])
        await store.close()
      })

      test('a transaction that stands still is ended by the server, and its connection replaced', async () => {
        const { store } = await open({ idleInTransactionMilliseconds: 100, connections: 1 })
        const standing = transact(store.db, async (transaction) => {
          await transaction.insertInto('ledger').values({ entry: 'a' }).execute()
          await sleep(600)
          await transaction.insertInto('ledger').values({ entry: 'b' }).execute()
        })
        await expect(standing).rejects.toMatchObject(unavailable)
        expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        await store.close()
      })
    })

    describe('races', () => {
      test('a transaction that lost against another is done again, on what it then reads', async () => {
        const { store } = await open()
        await store.db.insertInto('totals').values({ id: 'a', total: 0 }).execute()
        let tries = 0
        const add = (amount: number, between: () => Promise<unknown>) =>
          transact(store.db, async (transaction) => {
            tries += 1
            const { total } = await transaction.selectFrom('totals').select('total').executeTakeFirstOrThrow()
            if (tries === 1) await between()
            await transaction
              .updateTable('totals')
              .set({ total: total + amount })
              .execute()
          })
        await add(1, () => store.db.updateTable('totals').set({ total: 10 }).execute())
        expect(tries).toBe(2)
        expect(await store.db.selectFrom('totals').select('total').executeTakeFirst()).toEqual({ total: 11 })
        await store.close()
      })

      test('of two transactions that wait for each other both are done in the end', async () => {
        const { store } = await open()
        await store.db
          .insertInto('totals')
          .values(['a', 'b'].map((id) => ({ id, total: 0 })))
          .execute()
        let arrived = 0
        const both = Promise.withResolvers<void>()
        const addInOrder = (ids: string[]) =>
          transact(store.db, async (transaction) => {
            for (const [index, id] of ids.entries()) {
              await transaction
                .updateTable('totals')
                .set((eb) => ({ total: eb('total', '+', 1) }))
                .where('id', '=', id)
                .execute()
              if (index > 0) continue
              arrived += 1
              if (arrived >= 2) both.resolve()
              await both.promise
            }
          })
        await Promise.all([addInOrder(['a', 'b']), addInOrder(['b', 'a'])])
        expect(arrived).toBeGreaterThan(2)
        expect(
          (await store.db.selectFrom('totals').selectAll().orderBy('id').execute()).map(({ total }) => total),
        ).toEqual([2, 2])
        await store.close()
      })

      test('a hundred counters at once count to a hundred', async () => {
        const { store } = await open()
        await store.db.insertInto('totals').values({ id: 'a', total: 0 }).execute()
        const add = () =>
          transact(store.db, async (transaction) => {
            const { total } = await transaction.selectFrom('totals').select('total').executeTakeFirstOrThrow()
            await transaction
              .updateTable('totals')
              .set({ total: total + 1 })
              .execute()
          })
        const settled = await Promise.allSettled(Array.from({ length: 100 }, add))
        const done = settled.filter(({ status }) => status === 'fulfilled').length
        for (const each of settled) if (each.status === 'rejected') expect(each.reason).toMatchObject(unavailable)
        expect(await store.db.selectFrom('totals').select('total').executeTakeFirst()).toEqual({ total: done })
        expect(done).toBeGreaterThan(50)
        await store.close()
      })
    })
  },
)

describe.skipIf(postgresMissing !== undefined)(
  `Postgres killed${postgresMissing ? ` (${postgresMissing})` : ''}`,
  () => {
    test('kill -9 under load: nothing acknowledged is lost, failures are 503 within seconds, and it goes on by itself', async () => {
      await using postgres = await startTestPostgres()
      const location = {
        databaseUrl: await postgres.createDatabase(),
        limits: { connections: 5, connectMilliseconds: 1_000 },
      }
      await migrateStore(location, schema)
      await using store = await openStore<Tables>({ ...location, ...schema })
      const acknowledged = new Set<string>()
      const failures: unknown[] = []
      let slowest = 0
      let isOver = false
      const writer = async (name: string) => {
        for (let count = 0; !isOver; count += 1) {
          const entry = `${name}-${count}`
          const begun = performance.now()
          try {
            await transact(store.db, (transaction) => transaction.insertInto('ledger').values({ entry }).execute())
            acknowledged.add(entry)
          } catch (error) {
            failures.push(error)
            await sleep(20)
          }
          slowest = Math.max(slowest, performance.now() - begun)
        }
      }
      const writers = Promise.all(Array.from({ length: 10 }, (_, index) => writer(`writer${index}`)))
      for (let kills = 1; kills <= 3; kills += 1) {
        const before = acknowledged.size
        await until(() => acknowledged.size > before + 50)
        await postgres.server.stop('SIGKILL')
        const failed = failures.length
        await until(() => failures.length > failed + 10)
        await postgres.server.start()
      }
      const recovered = acknowledged.size
      await until(() => acknowledged.size > recovered + 50)
      isOver = true
      await writers
      const kept = new Set((await store.db.selectFrom('ledger').selectAll().execute()).map(({ entry }) => entry))
      expect([...acknowledged].filter((entry) => !kept.has(entry))).toEqual([])
      expect(failures.length).toBeGreaterThan(30)
      for (const failed of failures) expect(failed).toMatchObject(unavailable)
      expect(slowest).toBeLessThan(10_000)
    })

    test('a replica may start before its database', async () => {
      await using postgres = await startTestPostgres()
      const databaseUrl = await postgres.createDatabase()
      await migrateStore({ databaseUrl }, schema)
      await postgres.server.stop()
      const { received, log } = heardLog()
      const opening = openStore<Tables>({ databaseUrl, ...schema, log })
      await until(() => received.includes('waiting for the database'))
      await postgres.server.start()
      await using store = await opening
      expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
    })
  },
)
