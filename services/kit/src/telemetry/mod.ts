export { createLog, type Log, type LogLevel, silentLog } from './log.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { serveMetrics } from './serve-metrics.ts'
