export { type LogsConfig, logsConfig } from './config.ts'
export { createLogsService, type LogsService, type LogsServiceOptions, logsSchema } from './service.ts'
