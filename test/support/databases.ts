import type { StoreLocation, StoreSchema } from '@trellis/kit/store'
import { postgresMissing } from './postgres.ts'
import { openSharedDatabases } from './shared-databases.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** A new store location with a current schema, which can be opened any number of times. */
export type TestStore = AsyncDisposable & { location: StoreLocation }

/** A database for tests until it is disposed; `place` creates a store for a schema. */
export type RunningDatabase = AsyncDisposable & { place: (schema: StoreSchema) => Promise<TestStore> }

export type TestDatabase = {
  name: string
  /** Whether this machine lacks it; the name then contains the reason. */
  isMissing: boolean
  start: () => Promise<RunningDatabase>
}

const placeOnFiles = async (): Promise<TestStore> => {
  const directory = await temporaryDirectory()
  return { location: { dataDirectory: directory.path }, [Symbol.asyncDispose]: directory[Symbol.asyncDispose] }
}

const openPostgres = async (): Promise<RunningDatabase> => {
  const databases = await openSharedDatabases()
  return {
    place: async (schema) => ({
      location: { databaseUrl: await databases.createMigrated(schema) },
      [Symbol.asyncDispose]: async () => undefined,
    }),
    [Symbol.asyncDispose]: databases[Symbol.asyncDispose],
  }
}

/** The databases that every service supports, for `describe.each`. */
export const databases: readonly TestDatabase[] = [
  {
    name: 'SQLite',
    isMissing: false,
    start: async () => ({ place: placeOnFiles, [Symbol.asyncDispose]: async () => undefined }),
  },
  {
    name: postgresMissing === undefined ? 'Postgres' : `Postgres (${postgresMissing})`,
    isMissing: postgresMissing !== undefined,
    start: openPostgres,
  },
]
