import { runService } from '@trellis/kit/process/service'
import { listingsConfig } from './config.ts'
import { createListingsService } from './service.ts'
import { listingsSchema } from './store/migrations.ts'

await runService({
  ...listingsSchema,
  config: listingsConfig,
  create: (config, ports) => createListingsService({ config, ...ports }),
  environment: process.env,
  words: process.argv.slice(2),
})
