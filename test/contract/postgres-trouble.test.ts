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

/** A log that records the messages of its lines. */
const recordLog = () => {
  const received: string[] = []
  const write = (text: string) => void received.push((JSON.parse(text) as { msg: string }).msg)
  return { received, log: createLog({ level: 'info', format: 'json', destination: { write } }) }
}

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(20)
}

describe.skipIf(postgresMissing !== undefined)(
  `a failing Postgres${postgresMissing ? ` (${postgresMissing})` : ''}`,
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
      test('each migration is applied once by concurrent migrators', async () => {
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

      test('a migrator waits for the lock of another, which is released when that one dies', async () => {
        const { store, location } = await open()
        const { received, log } = recordLog()
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

      test('a replica logs that it waits for migrations, and starts when they are applied', async () => {
        const databaseUrl = await postgres.createDatabase()
        const { received, log } = recordLog()
        const opening = openStore<Tables>({ databaseUrl, ...schema, log })
        await until(() => received.includes('waiting for the migrations'))
        await migrateStore({ databaseUrl }, schema)
        await using store = await opening
        expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        expect(received).toEqual(['waiting for the migrations'])
      })

      test('a replica whose wait times out reports what to do and changes nothing', async () => {
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

      test('a wrong password, a missing database and missing rights are reported in a sentence', async () => {
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

      test('services in one database have separate schemas', async () => {
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
      test('a statement that takes too long is a 503, and the connection stays usable', async () => {
        const { store } = await open({ statementMilliseconds: 200, connections: 1 })
        await expect(sql`select pg_sleep(30)`.execute(store.db)).rejects.toMatchObject(unavailable)
        expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
        await store.close()
      })

      test('a server that stops answering is a 503, and its connection is replaced', async () => {
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

      test('a statement waits 30 s for a lock, and the limit of its duration does not end that wait', async () => {
        const { store } = await open()
        type Setting = { name: string; milliseconds: number }
        const { rows } = await sql<Setting>`
          select name, setting::int as milliseconds from pg_settings where name in ('lock_timeout', 'statement_timeout')
        `.execute(store.db)
        const limits = Object.fromEntries(rows.map(({ name, milliseconds }) => [name, milliseconds]))
        expect(limits.lock_timeout).toBe(30_000)
        expect(limits.statement_timeout).toBeGreaterThan(30_000)
        await store.close()
      })

      test('a lock that is not released in time is a 503', async () => {
        const { store } = await open({ lockMilliseconds: 200 })
        await store.db.insertInto('totals').values({ id: 'a', total: 0 }).execute()
        const holder = await store.db.startTransaction().execute()
        await holder.updateTable('totals').set({ total: 1 }).where('id', '=', 'a').execute()
        await expect(store.db.updateTable('totals').set({ total: 2 }).execute()).rejects.toMatchObject(unavailable)
        await holder.rollback().execute()
        await store.db.updateTable('totals').set({ total: 3 }).execute()
        await store.close()
      })

      test('queries wait for a free connection, then get 503; those beyond the waiting limit get 503 at once', async () => {
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

      test('an idle transaction is terminated by the server, and its connection is replaced', async () => {
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
      test('a transaction with a serialization conflict is retried with fresh reads', async () => {
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

      test('deadlocked transactions are retried, and both commit', async () => {
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

      test('a hundred concurrent increments are all counted', async () => {
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
  `a killed Postgres${postgresMissing ? ` (${postgresMissing})` : ''}`,
  () => {
    test('SIGKILL under load loses no acknowledged write, failures are 503 within seconds, and work resumes', async () => {
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
      const stored = new Set((await store.db.selectFrom('ledger').selectAll().execute()).map(({ entry }) => entry))
      expect([...acknowledged].filter((entry) => !stored.has(entry))).toEqual([])
      expect(failures.length).toBeGreaterThan(30)
      for (const failed of failures) expect(failed).toMatchObject(unavailable)
      expect(slowest).toBeLessThan(10_000)
    })

    test('a replica can start before its database', async () => {
      await using postgres = await startTestPostgres()
      const databaseUrl = await postgres.createDatabase()
      await migrateStore({ databaseUrl }, schema)
      await postgres.server.stop()
      const { received, log } = recordLog()
      const opening = openStore<Tables>({ databaseUrl, ...schema, log })
      await until(() => received.includes('waiting for the database'))
      await postgres.server.start()
      await using store = await opening
      expect(await store.db.selectFrom('ledger').selectAll().execute()).toEqual([])
    })
  },
)
