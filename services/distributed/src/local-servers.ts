import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '@trellis/kit/config'
import type { ConnectionsConfig } from '@trellis/kit/process'
import {
  ExecutableMissing,
  FolderClosed,
  findNatsServer,
  findS3Server,
  freePort,
  type NatsRole,
  natsRoles,
  PostgresVersionMismatch,
  type ServerProcess,
  startNatsServer,
  startPostgres,
  startS3Server,
} from './servers/mod.ts'
import { serverNotes } from './stale-servers.ts'

/** Parts of the environment that only some processes get. */
export type ServerGrants = {
  /** Variables for NATS, by the role of the process. */
  nats: (role: NatsRole) => Record<string, string>
  /** Variables for the database. */
  database: Record<string, string>
  /** Variables for the file store, by the role of the process. */
  files: (role: FilesRole) => Record<string, string>
}

/** Processes that use files, or start workers that do. */
export type FilesRole = 'logs' | 'music' | 'workloads'

/** The servers that the processes depend on: variables for connecting to them, and the servers that were started here. */
export type LocalServers = AsyncDisposable & {
  grants: ServerGrants
  /** Servers that were started here, by name. */
  started: Record<string, ServerProcess>
}

const pauseMilliseconds = 500

/** Connections beyond those of the services' pools: Postgres reserves three, and the user may look at the data. */
const spareConnections = 20
/** Minimum, which is the default of Postgres. */
const minConnections = 100

/** The connection limit of a database for a number of processes, each with a full pool. */
const connectionsFor = (processes: number, { databaseConnections }: ConnectionsConfig): number =>
  Math.max(minConnections, processes * databaseConnections + spareConnections)

/** Restarts a server whenever it exits unexpectedly. */
const keepRunning = async (
  name: string,
  server: ServerProcess,
  ending: AbortSignal,
  printLine: (line: string) => void,
) => {
  for (;;) {
    await server.gone()
    if (ending.aborted) return
    printLine(`${name} exited, restarting`)
    try {
      await server.start()
    } catch (error) {
      printLine(error instanceof Error ? error.message : String(error))
    }
    await sleep(pauseMilliseconds)
  }
}

/** Generates passwords for one run of a server: stored data does not depend on them, and they need not be stored. */
export const drawPasswords = () =>
  Object.fromEntries(natsRoles.map((role) => [role, `k${randomBytes(24).toString('hex')}`])) as Record<NatsRole, string>

const orUndefined = <Value>(find: () => Value): Value | undefined => {
  try {
    return find()
  } catch (error) {
    if (error instanceof ExecutableMissing) return undefined
    throw error
  }
}

export type LocalServersOptions = {
  directory: string
  environment: NodeJS.ProcessEnv
  /** Processes that store rows in the database. */
  storingProcesses: number
  printLine: (line: string) => void
}

/**
 * Starts the servers that the settings do not name: NATS, Postgres and an S3 store, on loopback, with their data below the folder,
 * and restarts each when it exits. Without an S3 program, files go to the object store of NATS. Throws ConfigError if NATS or
 * Postgres is missing.
 */
export const startLocalServers = async (
  config: ConnectionsConfig,
  { directory, environment, storingProcesses, printLine }: LocalServersOptions,
): Promise<LocalServers> => {
  await using opened = new AsyncDisposableStack()
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const notes = serverNotes(directory)
  await notes.endStale()
  const ending = new AbortController()
  const grants: ServerGrants = { nats: () => ({}), database: {}, files: () => ({}) }
  const started: Record<string, ServerProcess> = {}
  const note = () => notes.note(Object.values(started).flatMap((server) => server.pid() ?? []))
  const superviseServer = async <Server extends ServerProcess>(name: string, server: Server): Promise<Server> => {
    const printStarted = () => printLine(`${name} started (pid ${server.pid()})`)
    const start = async () => {
      await server.start()
      await note()
      printStarted()
    }
    started[name] = server
    opened.defer(async () => {
      ending.abort()
      await server[Symbol.asyncDispose]()
    })
    await note()
    void keepRunning(name, { ...server, start }, ending.signal, printLine)
    printStarted()
    return server
  }
  const folder = (name: string) => join(directory, name)
  const startsWorkers = (role: FilesRole) => role !== 'logs'
  const executable = config.s3Endpoint === undefined ? orUndefined(() => findS3Server(environment)) : undefined
  const filesInNats = config.s3Endpoint === undefined && executable === undefined
  try {
    if (config.natsServers.length === 0) {
      const passwords = drawPasswords()
      const nats = await superviseServer(
        'NATS',
        await startNatsServer({
          command: findNatsServer(environment),
          directory: folder('nats'),
          passwords,
          filesInNats,
        }),
      )
      grants.nats = (role) => ({ NATS_URL: nats.address, NATS_USER: role, NATS_PASSWORD: passwords[role] })
      if (filesInNats)
        grants.files = (role) =>
          startsWorkers(role) ? { WORKER_NATS_USER: 'audio', WORKER_NATS_PASSWORD: passwords.audio } : {}
    }
    if (config.databaseUrl === undefined) {
      const postgres = await superviseServer(
        'Postgres',
        await startPostgres({
          directory: folder('postgres'),
          port: await freePort(),
          settings: { max_connections: String(connectionsFor(storingProcesses, config)) },
        }),
      )
      grants.database = { DATABASE_URL: postgres.url() }
    }
  } catch (error) {
    if (error instanceof FolderClosed || error instanceof PostgresVersionMismatch)
      throw new ConfigError(error.message, { cause: error })
    throw error instanceof ExecutableMissing
      ? new ConfigError(`${error.message} Or set NATS_URL or DATABASE_URL to a running server.`)
      : error
  }
  if (executable !== undefined) {
    const s3 = await superviseServer('S3', await startS3Server({ executable, directory: folder('s3') }))
    /** `workloads` uses no files itself, so it has the keys of its workers only. */
    const keysOf = (role: FilesRole) => (role === 'workloads' ? s3.workers : s3)
    grants.files = (role) => ({
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: keysOf(role).accessKeyId,
      S3_SECRET_ACCESS_KEY: keysOf(role).secretAccessKey,
      ...(role === 'music' && {
        WORKER_S3_ACCESS_KEY_ID: s3.workers.accessKeyId,
        WORKER_S3_SECRET_ACCESS_KEY: s3.workers.secretAccessKey,
      }),
    })
  }
  const stack = opened.move()
  return { grants, started, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
