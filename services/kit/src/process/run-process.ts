import { type BaseConfig, ConfigError } from '../config/mod.ts'
import { stopSignal } from '../lifecycle/mod.ts'
import { InsecureListener } from '../rpc/mod.ts'
import { DataDirectoryInUse, DataDirectoryUnusable, MigrationError } from '../store/mod.ts'
import { reportReady } from '../supervision/mod.ts'
import { createMetrics, type Log, type Metrics, processChecks, serveHealth } from '../telemetry/mod.ts'
import { explain, fail as failWith } from './failing.ts'
import { watchFatalErrors } from './fatal-errors.ts'
import { openLog } from './open-log.ts'
import { readSettings, type SettingsOptions } from './read-settings.ts'

/** The running program, disposed when the process stops. */
export type Running = AsyncDisposable & {
  /** Printed on standard output once the process is ready. */
  readyLine: string
}

/** The dependencies that a process provides to its program. */
export type ProcessTools = {
  log: Log
  metrics: Metrics
  /** False after the first uncaught error, which shuts the process down. */
  isReady: () => boolean
}

export type ProcessOptions<Config extends { base: BaseConfig }> = SettingsOptions<Config> & {
  start: (config: Config, tools: ProcessTools) => Promise<Running>
  /** Commands by their name on the command line; the process exits when the command is done. */
  commands?: Record<string, (config: Config, tools: { log: Log }) => Promise<string>>
}

const userErrors = [DataDirectoryInUse, DataDirectoryUnusable, MigrationError, InsecureListener]

/** Errors that the user can fix are explained in one sentence. */
const why = (error: unknown): string =>
  error instanceof Error && userErrors.some((kind) => error instanceof kind) ? error.message : explain(error)

const fail = (error: unknown): never => failWith(error, why)

/** Metrics are optional: a failure to serve them does not prevent the start. */
const startMetrics = async (
  metrics: Metrics,
  { host, metricsPort: port, metricsHosts: hosts }: BaseConfig,
  { log, isReady }: { log: Log; isReady: () => boolean },
) => {
  if (port === 0) return undefined
  try {
    return await serveHealth({ host, port, hosts, checks: processChecks(isReady), metrics })
  } catch {
    log.warn({ port }, 'metrics disabled: port in use (set METRICS_PORT to another, or to 0)')
    return undefined
  }
}

/**
 * Runs a process: reads its configuration, starts it, reports that it is ready, and shuts it down gracefully at SIGTERM or Ctrl-C with
 * code 0. A process that cannot start prints an explanation and exits with code 1. After an uncaught error it exits with
 * code 1 too, after the same graceful shutdown.
 */
export const runProcess = async <Config extends { base: BaseConfig }>({
  start,
  commands = {},
  ...settings
}: ProcessOptions<Config>): Promise<void> => {
  const config = readSettings(settings, why)
  if (config === undefined) return
  // The reader of our output may be gone, for example a closed terminal; that must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const stopping = stopSignal({ orWithInput: config.base.endsWithInput })
  const log = openLog(config.base)
  const fatal = watchFatalErrors(log)
  const metrics = createMetrics()
  const [word = ''] = settings.words
  try {
    if (word !== '') {
      const command = commands[word]
      if (!command)
        throw new ConfigError(
          `"${word}" is not a command. Commands: ${['--print-config', ...Object.keys(commands)].join(', ')}.`,
        )
      process.stdout.write(`${await command(config, { log })}\n`)
      process.exit(fatal.hasOccurred() ? 1 : 0)
    }
    const isReady = () => !fatal.hasOccurred()
    const failedEarly = fatal.first.then((error) => {
      throw error
    })
    await using running = await Promise.race([start(config, { log, metrics, isReady }), failedEarly])
    await using _metricsServer = await startMetrics(metrics, config.base, { log, isReady })
    process.stdout.write(`${running.readyLine}\n`)
    reportReady()
    const signal = await Promise.race([stopping, fatal.first])
    log.info({ signal }, 'shutting down: streams first, then pending requests')
  } catch (error) {
    fail(error)
  }
  process.exit(fatal.hasOccurred() ? 1 : 0)
}
