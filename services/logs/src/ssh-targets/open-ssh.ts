import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import type { SshOptions } from '../collect/ssh/connection.ts'
import { createSshConnections, type SshConnections } from '../collect/ssh/connections.ts'
import type { HostKeyTables } from '../collect/ssh/host-key-store.ts'
import { createHostKeys } from '../collect/ssh/host-keys.ts'
import { refusalOfKeyPath } from '../collect/ssh/key-file.ts'
import type { LogsConfig } from '../config.ts'
import { createSshTargets, type SshTargets } from './ssh-targets.ts'
import type { SshTargetTables } from './store.ts'

/** The SSH targets and connections of the service. */
export type Ssh = AsyncDisposable & {
  targets: SshTargets
  connections: SshConnections
  /** Why a path is not allowed for a key, as a sentence; undefined for an allowed path. */
  refusalOfKey: (path: string) => string | undefined
  /** The folders of private keys; other features do not read files in them. */
  keyFolders: readonly string[]
}

export type OpenSshOptions = {
  config: Pick<LogsConfig, 'sshKeyFolders'>
  dataDirectory: string
  db: Kysely<SshTargetTables & HostKeyTables>
  now: () => number
}

/** Uses the keys and known hosts of the user that the service runs as, and those in the data directory. Does not connect yet. */
export const openSsh = ({ config, dataDirectory, db, now }: OpenSshOptions): Ssh => {
  const own = [join(homedir(), '.ssh'), resolve(dataDirectory, 'ssh')]
  const keyFolders = config.sshKeyFolders.length > 0 ? config.sshKeyFolders.map((folder) => resolve(folder)) : own
  const hostKeys = createHostKeys({ db, files: own.map((folder) => join(folder, 'known_hosts')), now })
  const options: SshOptions = { hostKeys, keyFolders }
  const connections = createSshConnections(options)
  return {
    targets: createSshTargets({ ...options, db, now }),
    connections,
    keyFolders: [...new Set([...keyFolders, ...own])],
    refusalOfKey: (path) => refusalOfKeyPath(path, keyFolders),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}
