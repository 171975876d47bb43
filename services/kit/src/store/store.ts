import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { type Migration, migrate } from './migrations.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

/** The rows of one service. `db` is Kysely: the same queries run on every database the store may stand on. */
export type Store<Tables> = AsyncDisposable & {
  db: Kysely<Tables>
  close: () => Promise<void>
}

export type StoreOptions = {
  /** Names the database: `listings` becomes `<dataDirectory>/listings.db`. */
  name: string
  dataDirectory: string
  migrations: readonly Migration[]
  /** How long a statement waits for another writer's lock before it fails as 503; 30 s unless told. */
  lockWaitMilliseconds?: number
}

/**
 * Opens the store of a service and brings its schema up to date.
 * Embedded form: one SQLite file in WAL mode; safe to be killed at any moment.
 */
export const openStore = async <Tables>({
  name,
  dataDirectory,
  migrations,
  lockWaitMilliseconds = 30_000,
}: StoreOptions): Promise<Store<Tables>> => {
  await mkdir(dataDirectory, { recursive: true })
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect({ path: join(dataDirectory, `${name}.db`), lockWaitMilliseconds }),
  })
  await migrate(db as Kysely<unknown>, migrations)
  const close = () => db.destroy()
  return { db, close, [Symbol.asyncDispose]: close }
}
