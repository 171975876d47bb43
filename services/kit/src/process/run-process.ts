import { type BaseConfig, ConfigError } from '../config/mod.ts'
import { stopSignal } from '../lifecycle/mod.ts'
import { InsecureListener } from '../rpc/mod.ts'
import { DataDirectoryInUse, DataDirectoryUnusable, MigrationError } from '../store/mod.ts'
import { createMetrics, type Log, type Metrics, serveMetrics } from '../telemetry/mod.ts'
import { explain, fail as failWith } from './failing.ts'
import { watchFatalErrors } from './fatal-errors.ts'
import { openLog } from './open-log.ts'
import { readSettings, type SettingsOptions } from './read-settings.ts'
import { reportReady } from './ready-message.ts'

/** What runs until the process is told to end. */
export type Running = AsyncDisposable & {
  /** Said on standard output once it can be used. */
  readyLine: string
}

/** What a process gives to what runs in it. */
export type ProcessTools = {
  log: Log
  metrics: Metrics
  /** False from the first error that nothing caught, after which the process ends. */
  isReady: () => boolean
}

export type ProcessOptions<Config extends { base: BaseConfig }> = SettingsOptions<Config> & {
  start: (config: Config, tools: ProcessTools) => Promise<Running>
  /** What other words on the command line do, by word; the process ends when it is done. */
  commands?: Record<string, (config: Config, tools: { log: Log }) => Promise<string>>
}

const forPeople = [DataDirectoryInUse, DataDirectoryUnusable, MigrationError, InsecureListener]

/** What a person can mend is said in a sentence. */
const why = (error: unknown): string =>
  error instanceof Error && forPeople.some((kind) => error instanceof kind) ? error.message : explain(error)

const fail = (error: unknown): never => failWith(error, why)

/** Metrics help the one who watches, and are no reason not to start. */
const startMetrics = async (
  metrics: Metrics,
  { host, metricsPort: port, metricsHosts: hosts }: BaseConfig,
  { log, isReady }: { log: Log; isReady: () => boolean },
) => {
  if (port === 0) return undefined
  try {
    return await serveMetrics(metrics, { host, port, hosts, isReady })
  } catch {
    log.warn({ port }, 'metrics are off: their port is in use (METRICS_PORT chooses another, 0 none)')
    return undefined
  }
}

/**
 * The life of a process: read what it is told, start, say that it is ready, and end in order at SIGTERM or Ctrl-C with
 * code 0. What cannot start says why in a sentence and ends with code 1; so does, after the same orderly end, a process
 * in which an error was not caught.
 */
export const runProcess = async <Config extends { base: BaseConfig }>({
  start,
  commands = {},
  ...settings
}: ProcessOptions<Config>): Promise<void> => {
  const config = readSettings(settings, why)
  if (config === undefined) return
  // Whoever read what is said may be gone, as a closed terminal is: no reason to end out of order.
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
          `"${word}" is no command here. There are: ${['--print-config', ...Object.keys(commands)].join(', ')}.`,
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
    log.info({ signal }, 'ending: streams first, then requests in hand')
  } catch (error) {
    fail(error)
  }
  process.exit(fatal.hasOccurred() ? 1 : 0)
}
