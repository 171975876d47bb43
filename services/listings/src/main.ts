import { busEnvironment } from '@trellis/kit/process'
import { runService } from '@trellis/kit/process/service'
import { listingsConfig } from './config.ts'
import { searchWorker } from './search/worker/kind.ts'
import { createListingsService } from './service.ts'
import { listingsSchema } from './store/migrations.ts'

await runService({
  ...listingsSchema,
  config: listingsConfig,
  create: (config, ports) =>
    createListingsService({
      config,
      ...ports,
      localWorker: ports.runsAreObjects ? searchWorker(config, busEnvironment(process.env)) : undefined,
    }),
  environment: process.env,
  words: process.argv.slice(2),
})
