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
  type ServerProcess,
  startNatsServer,
  startPostgres,
  startS3Server,
} from './servers/mod.ts'
import { serverNotes } from './stale-servers.ts'

/** Parts of an environment that not every process gets. */
export type ServerGrants = {
  /** How a process connects to NATS, by its role. */
  nats: (role: NatsRole) => Record<string, string>
  /** How rows are reached. */
  database: Record<string, string>
  /** How files are reached. */
  files: Record<string, string>
}

/** The servers that the processes stand on: variables that tell of them, and what was started here, to be ended. */
export type LocalServers = AsyncDisposable & {
  grants: ServerGrants
  /** What was started here, by name. */
  started: Record<string, ServerProcess>
}

const pauseMilliseconds = 500

/** Starts a server again whenever it is gone before its time. */
const keepRunning = async (
  name: string,
  server: ServerProcess,
  ending: AbortSignal,
  printLine: (line: string) => void,
) => {
  for (;;) {
    await server.gone()
    if (ending.aborted) return
    printLine(`${name} is gone; it is started again`)
    try {
      await server.start()
    } catch (error) {
      printLine(error instanceof Error ? error.message : String(error))
    }
    await sleep(pauseMilliseconds)
  }
}

/** Passwords for one life of a server: what is stored does not depend on them, and no file has to guard them. */
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

/**
 * Starts what the settings do not name: NATS, Postgres and an S3 store, on loopback, with what they keep under the folder,
 * and starts each again if it goes. Without a program for the last, files go to the object store of NATS. Throws ConfigFailure where one of
 * the others cannot be had.
 */
export const startLocalServers = async (
  config: ConnectionsConfig,
  {
    directory,
    environment,
    printLine,
  }: { directory: string; environment: NodeJS.ProcessEnv; printLine: (line: string) => void },
): Promise<LocalServers> => {
  await using opened = new AsyncDisposableStack()
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const notes = serverNotes(directory)
  await notes.endStale()
  const ending = new AbortController()
  const grants: ServerGrants = { nats: () => ({}), database: {}, files: {} }
  const started: Record<string, ServerProcess> = {}
  const note = () => notes.note(Object.values(started).flatMap((server) => server.pid() ?? []))
  const keep = async <Server extends ServerProcess>(name: string, server: Server): Promise<Server> => {
    const tell = () => printLine(`${name} runs (process ${server.pid()})`)
    const start = async () => {
      await server.start()
      await note()
      tell()
    }
    started[name] = server
    opened.defer(async () => {
      ending.abort()
      await server[Symbol.asyncDispose]()
    })
    await note()
    void keepRunning(name, { ...server, start }, ending.signal, printLine)
    tell()
    return server
  }
  const folder = (name: string) => join(directory, name)
  const executable = config.s3Endpoint === undefined ? orUndefined(() => findS3Server(environment)) : undefined
  try {
    if (config.natsServers.length === 0) {
      const passwords = drawPasswords()
      const nats = await keep(
        'NATS',
        await startNatsServer({
          command: findNatsServer(environment),
          directory: folder('nats'),
          passwords,
          filesInNats: config.s3Endpoint === undefined && executable === undefined,
        }),
      )
      grants.nats = (role) => ({ NATS_URL: nats.address, NATS_USER: role, NATS_PASSWORD: passwords[role] })
    }
    if (config.databaseUrl === undefined) {
      const postgres = await keep(
        'Postgres',
        await startPostgres({ directory: folder('postgres'), port: await freePort() }),
      )
      grants.database = { DATABASE_URL: postgres.url() }
    }
  } catch (error) {
    if (error instanceof FolderClosed) throw new ConfigError(error.message, { cause: error })
    throw error instanceof ExecutableMissing
      ? new ConfigError(`${error.message} NATS_URL or DATABASE_URL can name one that runs already.`)
      : error
  }
  if (executable !== undefined) {
    const s3 = await keep('S3', await startS3Server({ executable, directory: folder('s3') }))
    grants.files = {
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.bucket,
      S3_REGION: s3.region,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }
  }
  const stack = opened.move()
  return { grants, started, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
