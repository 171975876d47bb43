import type { BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { type Bus, connectNatsBus } from '../bus/mod.ts'
import { baseConfig, ConfigError, type ConfigSchema, read, readConfigs, setting, type ValuesOf } from '../config/mod.ts'
import { type Files, type FilesLocation, openFiles } from '../files/mod.ts'
import { type Implementation, type RpcClient, type RpcSecurity, serveGrpc } from '../rpc/mod.ts'
import { isPostgres, type Migration, migrateStore, type PlacedSchema, type StoreLocation } from '../store/mod.ts'
import type { Log, Metrics } from '../telemetry/mod.ts'
import { connectWorkloads } from './connect-workloads.ts'
import {
  busOptions,
  connectionsConfig,
  filesLocation,
  rpcConfig,
  rpcSecurity,
  storeLocation,
  workerFilesLocation,
} from './connections-config.ts'
import { configPart, printConfig, setButNotInUse } from './print-config.ts'
import { type Running, runProcess } from './run-process.ts'

/** The ports of a service in its own process, in their distributed implementations. */
export type ServicePorts = {
  store: StoreLocation
  /** For caches and other data that need not survive the process. */
  dataDirectory: string
  bus: Bus
  /** Opens the file store, for services that read and write files themselves; it is closed with the service. */
  openFiles: () => Promise<Files>
  filesLocation: FilesLocation
  /** The same store, with the credentials of audio workers. */
  workerFilesLocation: FilesLocation
  workloads: RpcClient<typeof WorkloadsServiceDefinition>
  /** The runtime of branches and the security of calls to them; absent where no runtime is configured. */
  branches: { service: RpcClient<typeof BranchesServiceDefinition>; security: RpcSecurity } | undefined
  /** Whether workloads are objects in a cluster: services then consume plan requests and publish conclusions. */
  runsAreObjects: boolean
  log: Log
  metrics: Metrics
}

export type ServiceProcess<Schema extends ConfigSchema> = {
  /** The name of its schema in the database, and of its connections to servers. */
  name: string
  config: Schema
  /** Migrations of the single schema, which has the service's name; absent for a process that stores no rows. */
  migrations?: readonly Migration[]
  /** The schemas of a service with several, with their locations; replaces `migrations`. `main` is the default location. Throws ConfigError. */
  schemas?: (config: ValuesOf<Schema>, main: StoreLocation) => readonly PlacedSchema[]
  create: (
    config: ValuesOf<Schema>,
    ports: ServicePorts,
  ) => Promise<AsyncDisposable & { implementations: readonly Implementation[] }>
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

/** Settings of every service, beside those of every process and of the servers. */
export const serviceConfig = {
  ...rpcConfig,
  rpcAddress: setting(
    'RPC_ADDRESS',
    read.text,
    '127.0.0.1:9000',
    'The address to serve calls at: host:port or unix:///path.',
  ),
  workloadsAddress: setting(
    'WORKLOADS_ADDRESS',
    read.optional(read.text),
    undefined,
    'The address of the runtime of searches, branches and generations: the operator, or the local runtime.',
  ),
  runsAreObjects: setting(
    'WORKLOADS_ARE_OBJECTS',
    read.flag,
    false,
    'Whether that runtime is the operator of a cluster, which requests plans and is notified how runs ended.',
  ),
  shutdownSeconds: setting('SHUTDOWN_SECONDS', read.integer(0, 600), 10, 'Time limit for draining calls at shutdown.'),
}

// Reports configuration errors before waiting for any server.
const readAll = <Schema extends ConfigSchema>(schema: Schema, environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, connections: connectionsConfig, rpc: serviceConfig, own: schema },
    environment,
    ({ connections, rpc }) => ({
      bus: () => busOptions(connections),
      files: () => filesLocation(connections),
      workerFiles: () => workerFilesLocation(connections),
      security: () => rpcSecurity(rpc),
    }),
  )

type Config<Schema extends ConfigSchema> = ReturnType<typeof readAll<Schema>>

const databaseOf = ({ connections, base }: ReturnType<typeof readAll>): StoreLocation => {
  if (connections.databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL must be set: replicas of a service share one database.')
  return storeLocation(connections, base.dataDirectory)
}

/** The schemas of a service. Throws ConfigError for a schema that replicas cannot share. */
const schemasOf = <Schema extends ConfigSchema>(
  { name, migrations = [], schemas }: ServiceProcess<Schema>,
  config: Config<Schema>,
): readonly PlacedSchema[] => {
  const main = databaseOf(config)
  const placed = schemas?.(config.own, main) ?? [{ name, migrations, location: main }]
  const alone = placed.find(({ location }) => !isPostgres(location))
  if (alone)
    throw new ConfigError(
      `The rows of "${alone.name}" must be in a Postgres database, not in a folder: replicas share them.`,
    )
  return placed
}

/** Serves gRPC; if the address is in use, the error names the setting to change. */
const serve = async (...[implementations, options]: Parameters<typeof serveGrpc>) => {
  try {
    return await serveGrpc(implementations, options)
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('EADDRINUSE')) throw error
    throw new ConfigError(
      `${options.address} is in use. Stop the process that uses it, or set RPC_ADDRESS to another.`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Runs one service as a process that serves gRPC and depends on Postgres, NATS and a file store. Replicas share nothing
 * else. With the command `migrate` it migrates its schemas and exits.
 */
export const runService = <const Schema extends ConfigSchema>(service: ServiceProcess<Schema>): Promise<void> => {
  const { name, migrations, schemas } = service
  const storesRows = migrations !== undefined || schemas !== undefined

  const start = async (config: Config<Schema>, { log, metrics }: { log: Log; metrics: Metrics }): Promise<Running> => {
    await using opened = new AsyncDisposableStack()
    const { security } = config
    const idle = setButNotInUse([configPart(name, service.config, config.own)])
    if (idle.length > 0)
      log.warn({ variables: idle }, 'settings without effect: this version does not have their features yet')
    if (storesRows) schemasOf(service, config)
    const store = storesRows ? databaseOf(config) : { dataDirectory: config.base.dataDirectory }
    const bus = opened.use(await connectNatsBus({ ...config.bus, name: `trellis-${name}`, log }))
    const { workloads, branches } = opened.use(connectWorkloads(config.rpc.workloadsAddress, security))
    const made = opened.use(
      await service.create(config.own, {
        store,
        dataDirectory: config.base.dataDirectory,
        bus,
        openFiles: async () => opened.use(await openFiles(config.files)),
        filesLocation: config.files,
        workerFilesLocation: config.workerFiles,
        workloads,
        branches: branches && { service: branches, security },
        runsAreObjects: config.rpc.runsAreObjects,
        log,
        metrics,
      }),
    )
    const server = opened.use(
      await serve(made.implementations, {
        address: config.rpc.rpcAddress,
        security,
        drainMilliseconds: config.rpc.shutdownSeconds * 1_000,
        onInternal: (error, { requestId }) =>
          log.error({ err: error, requestId }, 'rpc: call failed with an internal error'),
      }),
    )
    const stack = opened.move()
    return {
      readyLine: `Trellis ${name} is ready at ${server.address}`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  }

  return runProcess<Config<Schema>>({
    read: (environment) => readAll(service.config, environment),
    print: ({ base, connections, rpc, own }) =>
      printConfig([
        configPart('every process', baseConfig, base),
        configPart('servers', connectionsConfig, connections),
        configPart('calls between processes', serviceConfig, rpc),
        configPart(name, service.config, own),
      ]),
    start,
    commands: storesRows
      ? {
          migrate: async (config) => {
            const sentences: string[] = []
            for (const { location, ...schema } of schemasOf(service, config)) {
              const applied = await migrateStore(location, schema)
              sentences.push(
                applied.length === 0
                  ? `The schema of ${schema.name} is up to date.`
                  : `The schema of ${schema.name} is up to date now (${applied.length} steps).`,
              )
            }
            return sentences.join('\n')
          },
        }
      : {},
    environment: service.environment,
    words: service.words,
  })
}
