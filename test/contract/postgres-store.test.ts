import { migrateStore, openStore } from '@trellis/kit/store'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresMissing, startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { storeContract } from './ports/store.ts'

describe.skipIf(postgresMissing !== undefined)(
  `with a real Postgres${postgresMissing ? ` (${postgresMissing})` : ''}`,
  () => {
    let postgres: TestPostgres
    beforeAll(async () => {
      postgres = await startTestPostgres()
    })
    afterAll(() => postgres[Symbol.asyncDispose]())

    storeContract('on Postgres', async () => {
      const location = { databaseUrl: await postgres.createDatabase() }
      return {
        open: async (migrations) => {
          await migrateStore(location, { name: 'things', migrations })
          return openStore({ ...location, name: 'things', migrations })
        },
        [Symbol.asyncDispose]: async () => undefined,
      }
    })
  },
)
