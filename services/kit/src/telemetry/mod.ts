export { type Check, type HealthServer, type HealthServerOptions, processChecks, serveHealth } from './health-server.ts'
export { createLog, type Log, type LogLevel, silentLog } from './log.ts'
export { createMetrics, type Metrics } from './metrics.ts'
