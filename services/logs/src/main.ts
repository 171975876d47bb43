import { runService } from '@trellis/kit/process/service'
import { logsConfig } from './config.ts'
import { createLogsService, logsMigrations } from './service.ts'

await runService({
  name: 'logs',
  config: logsConfig,
  migrations: logsMigrations,
  create: (config, ports) => createLogsService({ config, ...ports }),
  environment: process.env,
  words: process.argv.slice(2),
})
