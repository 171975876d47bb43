import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from './find-executable.ts'
import { type NatsRole, natsAccount, natsAccounts, natsPasswordVariable, natsRoles } from './nats-accounts.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export type NatsServerOptions = {
  /** Path of the program. */
  command: string
  /** The folder of its store; default a temporary folder, which is removed on disposal. */
  directory?: string
  /** Further lines of its configuration. */
  configuration?: string
  /** Passwords of the roles. Without them there are no access rules, which is for tests only. */
  passwords?: Readonly<Record<NatsRole, string>>
  /** Whether files are in its object store; only used with passwords. */
  filesInNats?: boolean
}

/** Moves a store from before accounts were introduced from the folder of the global account to that of the account of all streams. */
const adoptGlobalAccount = async (store: string): Promise<void> => {
  const folder = join(store, 'jetstream')
  if (existsSync(join(folder, '$G')) && !existsSync(join(folder, natsAccount)))
    await rename(join(folder, '$G'), join(folder, natsAccount))
}

const passwordVariables = (passwords: Readonly<Record<NatsRole, string>>): Record<string, string> =>
  Object.fromEntries(natsRoles.map((role) => [natsPasswordVariable(role), passwords[role]]))

export type NatsServer = ServerProcess & {
  /** `127.0.0.1:port`, for clients. */
  address: string
  /** Fetches a monitoring page, such as `jsz?consumers=true`. */
  monitor: (page: string) => Promise<unknown>
  /** Deletes its store; the server must be stopped. */
  clear: () => Promise<void>
}

/** Finds the NATS program. Throws ExecutableMissing. */
export const findNatsServer = (environment: NodeJS.ProcessEnv): string =>
  findExecutable('nats-server', { variable: 'NATS_SERVER_BIN', environment })

/** Starts nats-server with JetStream on loopback. */
export const startNatsServer = async (options: NatsServerOptions): Promise<NatsServer> => {
  const { command, configuration = '', passwords } = options
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'trellis-nats-')))
  await mkdir(directory, { recursive: true })
  const store = join(directory, 'store')
  const port = await freePort()
  const monitorPort = await freePort()
  const configurationFile = join(directory, 'server.conf')
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitorPort}"`,
    `jetstream { store_dir: "${store}" }`,
    ...(passwords ? [natsAccounts({ filesInNats: options.filesInNats ?? false, hasAudioWorkers: true })] : []),
  ]
  if (passwords) await adoptGlobalAccount(store)
  await writeFile(configurationFile, [...lines, configuration, ''].join('\n'))
  const monitor = async (page: string) => (await fetch(`http://127.0.0.1:${monitorPort}/${page}`)).json()
  const server = await startServerProcess({
    name: 'nats-server',
    command,
    args: ['--config', configurationFile],
    ...(passwords && { environment: passwordVariables(passwords) }),
    port,
    isReady: async () => {
      const healthy = await fetch(`http://127.0.0.1:${monitorPort}/healthz`).catch(() => undefined)
      return healthy?.ok === true
    },
  })
  return {
    ...server,
    address: `127.0.0.1:${port}`,
    monitor,
    clear: () => rm(store, { recursive: true, force: true }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}
