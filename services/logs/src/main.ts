import { runService } from '@trellis/kit/process/service'
import { logsConfig } from './config.ts'
import { createLogsService, logsSchema } from './service.ts'

await runService({
  ...logsSchema,
  config: logsConfig,
  create: (config, ports) => createLogsService({ config, ...ports }),
  environment: process.env,
  words: process.argv.slice(2),
})
