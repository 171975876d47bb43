import { migrateStore, type StoreLocation, type StoreSchema } from '@trellis/kit/store'
import { postgresMissing, startTestPostgres } from './postgres.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** An empty store with a schema up to date, which any number of openings share. */
export type TestStore = AsyncDisposable & { location: StoreLocation }

/** A database that tests stand on, as long as it is not disposed. */
export type RunningDatabase = AsyncDisposable & { place: (schema: StoreSchema) => Promise<TestStore> }

export type TestDatabase = {
  name: string
  /** Whether this machine lacks it; the name then says why. */
  isMissing: boolean
  start: () => Promise<RunningDatabase>
}

const placeOnFiles = async (): Promise<TestStore> => {
  const directory = await temporaryDirectory()
  return { location: { dataDirectory: directory.path }, [Symbol.asyncDispose]: directory[Symbol.asyncDispose] }
}

const startPostgres = async (): Promise<RunningDatabase> => {
  const postgres = await startTestPostgres()
  return {
    place: async (schema) => {
      const location = { databaseUrl: await postgres.createDatabase() }
      await migrateStore(location, schema)
      return { location, [Symbol.asyncDispose]: async () => undefined }
    },
    [Symbol.asyncDispose]: postgres[Symbol.asyncDispose],
  }
}

/** The databases that every service stands on, for `describe.each`. */
export const databases: readonly TestDatabase[] = [
  {
    name: 'SQLite',
    isMissing: false,
    start: async () => ({ place: placeOnFiles, [Symbol.asyncDispose]: async () => undefined }),
  },
  {
    name: postgresMissing === undefined ? 'Postgres' : `Postgres (${postgresMissing})`,
    isMissing: postgresMissing !== undefined,
    start: startPostgres,
  },
]
