import { busEnvironment } from '@trellis/kit/process'
import { runService } from '@trellis/kit/process/service'
import { listingsConfig } from './config.ts'
import { listingsSchema } from './schemas.ts'
import { createListingsService } from './service.ts'
import { searchWorker } from './worker/kind.ts'

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
