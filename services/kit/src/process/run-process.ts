import { type BaseConfig, ConfigFailure } from '../config/mod.ts'
import { isFailure } from '../errors/mod.ts'
import { stopSignal } from '../lifecycle/mod.ts'
import { InsecureListener } from '../rpc/mod.ts'
import { DataDirectoryInUse, MigrationFailure } from '../store/mod.ts'
import { createLog, createMetrics, type Log, type Metrics, serveMetrics } from '../telemetry/mod.ts'

/** What runs until the process is told to end. */
export type Running = AsyncDisposable & {
  /** Said on standard output once it can be used. */
  readyLine: string
}

export type ProcessOptions<Config extends { base: BaseConfig }> = {
  /** Reads all that the process is told. Throws ConfigFailure. */
  read: (environment: NodeJS.ProcessEnv) => Config
  /** What is in force, for a person (`--print-config`). */
  print: (config: Config) => string
  start: (config: Config, tools: { log: Log; metrics: Metrics }) => Promise<Running>
  /** What other words on the command line do, by word; the process ends when it is done. */
  commands?: Record<string, (config: Config, tools: { log: Log }) => Promise<string>>
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

const forPeople = [ConfigFailure, DataDirectoryInUse, MigrationFailure, InsecureListener]

const listening = (error: unknown): { code: unknown; port: unknown } =>
  error instanceof Error && 'code' in error
    ? { code: error.code, port: 'port' in error ? error.port : '' }
    : { code: '', port: '' }

/** What a person can mend is said in a sentence; anything else is a fault of ours and shown whole. */
const explain = (error: unknown): string => {
  if (error instanceof Error && forPeople.some((kind) => error instanceof kind)) return error.message
  // A server that cannot be reached or refuses: what it stands on, not what it is.
  if (isFailure(error) && error.kind !== 'internal') return error.message
  const { code, port } = listening(error)
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Stop what listens there, or set PORT to another.`
  if (code === 'EACCES') return `Port ${port} may not be listened on by this user. Set PORT to one above 1023.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const fail = (error: unknown): never => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}

const orFail = <Value>(make: () => Value): Value => {
  try {
    return make()
  } catch (error) {
    return fail(error)
  }
}

/** Metrics help the one who watches, and are no reason not to start. */
const startMetrics = async (metrics: Metrics, { host, metricsPort: port }: BaseConfig, log: Log) => {
  if (port === 0) return undefined
  try {
    return await serveMetrics(metrics, { host, port })
  } catch {
    log.warn({ port }, 'metrics are off: their port is in use (METRICS_PORT chooses another, 0 none)')
    return undefined
  }
}

/**
 * The life of a process: read what it is told, start, say that it is ready, and end in order at SIGTERM or Ctrl-C with
 * code 0. What cannot start says why in a sentence and ends with code 1.
 */
export const runProcess = async <Config extends { base: BaseConfig }>({
  read,
  print,
  start,
  commands = {},
  environment,
  words,
}: ProcessOptions<Config>): Promise<void> => {
  const config = orFail(() => read(environment))
  if (words.includes('--print-config')) {
    process.stdout.write(print(config))
    return
  }
  // Whoever read what is said may be gone, as a closed terminal is: no reason to end out of order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const stopping = stopSignal({ orWithInput: config.base.endsWithInput })
  const { logLevel: level, logFormat } = config.base
  const log = createLog({ level, format: logFormat === 'auto' ? (process.stdout.isTTY ? 'lines' : 'json') : logFormat })
  const metrics = createMetrics()
  const [word = ''] = words
  try {
    if (word !== '') {
      const command = commands[word]
      if (!command)
        throw new ConfigFailure(
          `"${word}" is no command here. There are: ${['--print-config', ...Object.keys(commands)].join(', ')}.`,
        )
      process.stdout.write(`${await command(config, { log })}\n`)
      process.exit(0)
    }
    await using running = await start(config, { log, metrics })
    await using _metricsServer = await startMetrics(metrics, config.base, log)
    process.stdout.write(`${running.readyLine}\n`)
    const signal = await stopping
    log.info({ signal }, 'ending: streams first, then requests in hand')
  } catch (error) {
    fail(error)
  }
  process.exit(0)
}
