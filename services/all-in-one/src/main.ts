import { ConfigFailure } from '@trellis/kit/config'
import { stopSignal } from '@trellis/kit/lifecycle'
import { DataDirectoryInUse, MigrationFailure } from '@trellis/kit/store'
import { createLog, createMetrics, type Log, type Metrics, serveMetrics } from '@trellis/kit/telemetry'
import { composeTrellis } from './compose.ts'
import { printConfig, readAllConfig, setButNotInUse } from './config.ts'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** What a person can mend is said in a sentence; anything else is a fault of ours and shown whole. */
const explain = (error: unknown, port: number): string => {
  if (error instanceof ConfigFailure || error instanceof DataDirectoryInUse || error instanceof MigrationFailure)
    return error.message
  if (codeOf(error) === 'EADDRINUSE') return `Port ${port} is in use. Stop what listens there, or set PORT to another.`
  if (codeOf(error) === 'EACCES') return `Port ${port} may not be listened on by this user. Set PORT to one above 1023.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const fail = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const configured = () => {
  try {
    return readAllConfig(process.env)
  } catch (error) {
    return fail(explain(error, 0))
  }
}

/** Metrics help the one who watches, and are no reason not to start. */
const startMetrics = async (metrics: Metrics, host: string, port: number, log: Log) => {
  if (port === 0) return undefined
  try {
    return await serveMetrics(metrics, { host, port })
  } catch {
    log.warn({ port }, 'metrics are off: their port is in use (METRICS_PORT chooses another, 0 none)')
    return undefined
  }
}

const config = configured()
if (process.argv.includes('--print-config')) {
  process.stdout.write(printConfig(config))
  process.exit(0)
}

const { host, port, metricsPort, logLevel, dataDirectory } = config.base
const stopping = stopSignal()
const log = createLog({ level: logLevel, format: process.stdout.isTTY ? 'lines' : 'json' })
const metrics = createMetrics()
const idleSettings = setButNotInUse(config)
if (idleSettings.length > 0)
  log.warn({ variables: idleSettings }, 'these settings belong to features that this version does not have yet')
try {
  await using trellis = await composeTrellis(config, { log, metrics })
  const address = await trellis.edge.listen(host, port)
  await using _metricsServer = await startMetrics(metrics, host, metricsPort, log)
  const shown = address.replace('127.0.0.1', 'localhost')
  process.stdout.write(`Trellis is ready: ${shown} (data in ${dataDirectory}; Ctrl-C ends it)\n`)
  const signal = await stopping
  log.info({ signal }, 'ending: streams first, then requests in hand')
} catch (error) {
  fail(explain(error, port))
}
process.exit(0)
