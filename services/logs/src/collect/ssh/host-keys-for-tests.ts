import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { makeKeyPair, type SshServer } from '@trellis/test/support/sshd'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import type { SshAddress } from './handshake.ts'
import { type HostKeyTables, hostKeyMigration } from './host-key-store.ts'
import { createHostKeys, type HostKeys } from './host-keys.ts'

/** The environment of an SSH client: a folder with a key, and known hosts. */
export type Visitor = AsyncDisposable & {
  keys: string
  keyPath: string
  publicKeyPath: string
  knownHosts: string
  hostKeys: HostKeys
  addressOf: (server: Pick<SshServer, 'port' | 'user'>) => SshAddress
  /** Writes a key into the folder and returns its path. */
  keep: (name: string, contents: string, mode?: number) => Promise<string>
}

/** A visitor whose key the servers accept. */
export const createVisitor = async (...servers: SshServer[]): Promise<Visitor> => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await temporaryDirectory())
  const store = opened.use(
    await openStore<HostKeyTables>({
      dataDirectory: folder.path,
      name: 'logs',
      migrations: [{ ...hostKeyMigration, number: 1 }],
    }),
  )
  const keys = join(folder.path, 'ssh')
  await mkdir(keys, { mode: 0o700 })
  const keep = async (name: string, contents: string, mode = 0o600) => {
    const path = join(keys, name)
    await writeFile(path, contents)
    await chmod(path, mode)
    return path
  }
  const pair = makeKeyPair()
  const keyPath = await keep('id_ed25519', pair.private)
  const publicKeyPath = await keep('id_ed25519.pub', pair.public)
  for (const server of servers) await server.authorize(pair.public)
  const knownHosts = join(folder.path, 'known_hosts')
  const stack = opened.move()
  return {
    keys,
    keyPath,
    publicKeyPath,
    knownHosts,
    hostKeys: createHostKeys({ db: store.db, files: [knownHosts], now: Date.now }),
    addressOf: ({ port, user }) => ({ host: '127.0.0.1', port, user, keyPath }),
    keep,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
