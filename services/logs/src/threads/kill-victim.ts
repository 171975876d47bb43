import { openStore } from '@trellis/kit/store'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../segments/catalogue-store.ts'
import { createLogEngine } from './engine.ts'
import { chunkOf, totalChunks } from './synthetic-file-for-tests.ts'

/** Uploads a file and prints how many of its entries are durable, until it is killed. Run by the engine's test. */
const [, , directory = ''] = process.argv
const store = await openStore<CatalogueTables>({
  name: 'logs',
  dataDirectory: directory,
  migrations: catalogueMigrations,
})
const engine = createLogEngine({
  directory,
  catalogue: createCatalogue(store.db),
  limits: { documents: 8_192, textBytes: 4 * 1024 * 1024, cacheBytes: 8 * 1024 * 1024 },
  inFlightBytes: 512 * 1024,
  onProblem: (problem) => process.stderr.write(`${problem}\n`),
})
const file = await engine.ingestFile({ source: { sourceId: 'made', branch: null, tenantId: null }, reference: 0 })
for (let chunk = 0; chunk < totalChunks; chunk++) {
  await file.push(chunkOf(chunk))
  process.stdout.write(`${file.progress().counts.entries}\n`)
}
// Reached only if the test fails to kill this process; without it such a test would wait for ever.
process.exit(0)
