import { createHash, randomUUID } from 'node:crypto'
import { migrateStore, openStore, type Store, type StoreSchema, sql } from '@trellis/kit/store'
import { fetchShared } from './shared/fetch-shared.ts'

/** Databases in the Postgres shared by all tests, for tests that neither stop their server nor change its settings. */
export type SharedDatabases = AsyncDisposable & {
  /** Creates an empty database and returns its URL. All databases are dropped on disposal. */
  createDatabase: () => Promise<string>
  /** Creates a database with this schema up to date. The first of a run is migrated, the others are copies of it. */
  createMigrated: (schema: StoreSchema) => Promise<string>
}

const addressOf = (url: string, database: string): string => {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

const templateOf = ({ name, migrations }: StoreSchema): string => {
  const steps = migrations.map((migration) => [migration.name, String(migration.up)])
  return `template_${createHash('sha256')
    .update(JSON.stringify([name, steps]))
    .digest('hex')
    .slice(0, 24)}`
}

type Db = Store<unknown>['db']

const exists = async (db: Db, database: string): Promise<boolean> =>
  (await sql`select 1 from pg_database where datname = ${database}`.execute(db)).rows.length > 0

/** Creates the template database if it does not exist. One test process does it while the others wait for the lock. */
const prepareTemplate = async (db: Db, url: string, schema: StoreSchema): Promise<string> => {
  const template = templateOf(schema)
  if (await exists(db, template)) return template
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext(${template}))`.execute(connection)
    try {
      if (await exists(connection, template)) return
      const draft = `${template}_draft`
      await sql`drop database if exists ${sql.id(draft)}`.execute(connection)
      await sql`create database ${sql.id(draft)}`.execute(connection)
      await migrateStore({ databaseUrl: addressOf(url, draft) }, schema)
      await sql`alter database ${sql.id(draft)} rename to ${sql.id(template)}`.execute(connection)
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${template}))`.execute(connection)
    }
  })
  return template
}

export const openSharedDatabases = async (): Promise<SharedDatabases> => {
  const { url } = await fetchShared('postgres')
  await using opened = new AsyncDisposableStack()
  const { db } = opened.use(await openStore<unknown>({ databaseUrl: url, name: 'public', migrations: [] }))
  const owned = opened.move()
  const create = async (template: string): Promise<string> => {
    const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`
    await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(db)
    owned.defer(async () => {
      await sql`drop database ${sql.id(name)} with (force)`.execute(db)
    })
    return addressOf(url, name)
  }
  return {
    createDatabase: () => create('template1'),
    createMigrated: async (schema) => create(await prepareTemplate(db, url, schema)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
