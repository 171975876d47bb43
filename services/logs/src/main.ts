import { filesNamedIn } from '@trellis/kit/config'
import { runService } from '@trellis/kit/process/service'
import { logsConfig } from './config.ts'
import { logsSchemas } from './schemas.ts'
import { createLogsService } from './service.ts'

await runService({
  name: 'logs',
  schemas: (config, main) => Object.values(logsSchemas(config, main)),
  config: logsConfig,
  create: (config, ports) => createLogsService({ config, ...ports, secretFiles: filesNamedIn(process.env) }),
  environment: process.env,
  words: process.argv.slice(2),
})
