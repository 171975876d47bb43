import { createKeyValue } from './replicas-for-tests.ts'
import { describeSharedCatalogue } from './shared-catalogue-suite.ts'

describeSharedCatalogue('an SQLite file', async () => {
  const dependencies = await createKeyValue()
  return { location: dependencies.shared.store, [Symbol.asyncDispose]: () => dependencies[Symbol.asyncDispose]() }
})
