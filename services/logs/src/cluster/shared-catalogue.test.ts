import { createShared } from './replicas-for-tests.ts'
import { describeSharedCatalogue } from './shared-catalogue-suite.ts'

describeSharedCatalogue('an SQLite file', async () => {
  const world = await createShared()
  return { location: world.shared.store, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
})
