import { join } from 'node:path'
import { Kysely } from 'kysely'
import { type Log, silentLog } from '../telemetry/mod.ts'
import { createDataDirectory } from './create-directory.ts'
import {
  defaultLockWait,
  isPostgres,
  type PostgresLocation,
  postgresLimits,
  type SqliteLocation,
  type StoreLocation,
} from './location.ts'
import { type Migration, migrate } from './migrations.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

/** The database of one service. `db` is Kysely; the same queries run on SQLite and on Postgres. */
export type Store<Tables> = AsyncDisposable & {
  db: Kysely<Tables>
  close: () => Promise<void>
}

/** The schema of one service's store. */
export type StoreSchema = {
  /** The store's name: `listings` is `<dataDirectory>/listings.db`, or the schema `listings` of a Postgres database. */
  name: string
  migrations: readonly Migration[]
  /** Logs waits for the database, and lost connections. */
  log?: Log
}

/** A schema and its location. */
export type PlacedSchema = Pick<StoreSchema, 'name' | 'migrations'> & { location: StoreLocation }

export type StoreOptions = StoreLocation & StoreSchema

const defaultSchemaWait = 60_000
/** How long a migrator waits for another one; changing a large table may take minutes. */
const migratorWait = 10 * 60_000

const toStore = <Tables>(db: Kysely<Tables>): Store<Tables> => {
  const close = () => db.destroy()
  return { db, close, [Symbol.asyncDispose]: close }
}

const openSqlite = async <Tables>(name: string, location: SqliteLocation): Promise<Store<Tables>> => {
  const { dataDirectory, file = `${name}.db`, lockWaitMilliseconds = defaultLockWait } = location
  await createDataDirectory(dataDirectory)
  return toStore(
    new Kysely<Tables>({
      dialect: createSqliteDialect({ path: join(dataDirectory, file), lockWaitMilliseconds }),
    }),
  )
}

/** Imports the driver lazily. */
const openPostgres = async <Tables>(
  name: string,
  { databaseUrl, limits }: PostgresLocation,
  log: Log,
): Promise<Store<Tables>> => {
  const { createPostgresDialect } = await import('./postgres/postgres-dialect.ts')
  return toStore(
    new Kysely<Tables>({
      dialect: createPostgresDialect({ databaseUrl, schema: name, limits: { ...postgresLimits, ...limits }, log }),
    }),
  )
}

/** Closes a store if it cannot be made ready. */
const readied = async <Tables>(store: Store<Tables>, ready: () => Promise<unknown>): Promise<Store<Tables>> => {
  try {
    await ready()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/**
 * Opens the store of a service. On SQLite, one file in WAL mode that survives a kill at any moment, this migrates the
 * schema. On Postgres, which replicas share, this changes nothing: it waits until `migrateStore` has run.
 * Throws MigrationError when schema and program do not match, `unavailable` when the database cannot be reached.
 */
export const openStore = async <Tables>(options: StoreOptions): Promise<Store<Tables>> => {
  const { name, migrations, log = silentLog } = options
  if (!isPostgres(options)) {
    const store = await openSqlite<Tables>(name, options)
    return readied(store, () => migrate(store.db as Kysely<unknown>, migrations))
  }
  const store = await openPostgres<Tables>(name, options, log)
  const { awaitSchema } = await import('./postgres/postgres-schema.ts')
  const waitMilliseconds = options.schemaWaitMilliseconds ?? defaultSchemaWait
  return readied(store, () => awaitSchema(store.db as Kysely<unknown>, { name, migrations, waitMilliseconds, log }))
}

/**
 * Migrates the schema of a store, safely when run concurrently, and returns the numbers of the steps that
 * it applied. Steps have no time limit. Throws MigrationError when a newer version has written the data.
 */
export const migrateStore = async (
  location: StoreLocation,
  { name, migrations, log = silentLog }: StoreSchema,
): Promise<number[]> => {
  if (!isPostgres(location)) {
    await using store = await openSqlite<unknown>(name, location)
    return await migrate(store.db, migrations)
  }
  const limits = { ...location.limits, connections: 1, statementMilliseconds: 0, idleInTransactionMilliseconds: 0 }
  await using store = await openPostgres<unknown>(name, { ...location, limits }, log)
  const { migrateSchema } = await import('./postgres/postgres-schema.ts')
  return await migrateSchema(store.db, { name, migrations, waitMilliseconds: migratorWait, log })
}
