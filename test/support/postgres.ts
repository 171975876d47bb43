import { join } from 'node:path'
import {
  ExecutableMissing,
  findPostgres,
  freePort,
  type PostgresServer,
  startPostgres,
} from '@trellis/distributed/servers'
import { openStore, sql } from '@trellis/kit/store'
import { temporaryDirectory } from './temporary-directory.ts'

/** Why there is no Postgres on this machine, for the names of skipped tests; undefined if there is one. */
export const postgresMissing: string | undefined = await findPostgres(process.env).then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof ExecutableMissing) return error.message
    throw error
  },
)

export type TestPostgres = AsyncDisposable & {
  server: PostgresServer
  /** Creates an empty database and returns its URL. */
  createDatabase: () => Promise<string>
}

/** Starts a separate Postgres for one test. Creating a database in it takes some tens of milliseconds. */
export const startTestPostgres = async (settings: Record<string, string> = {}): Promise<TestPostgres> => {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(await temporaryDirectory())
  const server = opened.use(
    await startPostgres({ directory: join(directory.path, 'postgres'), port: await freePort(), settings }),
  )
  let databases = 0
  const stack = opened.move()
  return {
    server,
    createDatabase: async () => {
      await using store = await openStore<unknown>({ databaseUrl: server.url(), name: 'public', migrations: [] })
      const name = `test_${++databases}`
      await sql`create database ${sql.id(name)}`.execute(store.db)
      return server.url(name)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
