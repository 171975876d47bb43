import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import type { RunningDatabase, TestDatabase } from '@trellis/test/support/databases'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type ListingsTables, migrations } from '../src/schemas.ts'

/** Opens new, empty tables (`db`) before each test of a `describe`, on a database that is started once. */
export const useEmptyTables = (start: TestDatabase['start']): { readonly db: Kysely<ListingsTables> } => {
  let database: RunningDatabase
  let opened: AsyncDisposableStack
  let db: Kysely<ListingsTables>
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database[Symbol.asyncDispose]())
  beforeEach(async () => {
    opened = new AsyncDisposableStack()
    const { location } = opened.use(await database.place({ name: 'listings', migrations }))
    db = opened.use(await openStore<ListingsTables>({ ...location, name: 'listings', migrations, log: silentLog })).db
  })
  afterEach(() => opened.disposeAsync())
  return {
    get db() {
      return db
    },
  }
}
