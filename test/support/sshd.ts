import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@trellis/distributed/servers'
import ssh from 'ssh2'
import { temporaryDirectory } from './temporary-directory.ts'

/** The path of this machine's OpenSSH server, which must be started with an absolute path. */
const findSshd = (): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, 'sshd'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

const command = findSshd()

/** Why tests with a real SSH server cannot run here. */
export const sshdMissing: string | undefined = command === undefined ? 'sshd is not installed' : undefined

export type KeyPair = { private: string; public: string }

/** Creates a key pair. Retries, because the library generates an unreadable ed25519 key every few hundred times. */
export const makeKeyPair = ({ passphrase }: { passphrase?: string } = {}): KeyPair => {
  for (;;) {
    const pair = ssh.utils.generateKeyPairSync('ed25519', {
      comment: 'test',
      ...(passphrase !== undefined && { passphrase, cipher: 'aes256-ctr', rounds: 4 }),
    })
    if (!(ssh.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair
  }
}

export type SshServer = AsyncDisposable & {
  port: number
  user: string
  /** The server's temporary folder. */
  directory: string
  /** Authorizes a public key. */
  authorize: (publicKey: string) => Promise<void>
  /** The verbose log so far, which includes connections and logins. */
  log: () => string
}

export type SshServerOptions = {
  hostKey?: KeyPair
  /** Whether SFTP is enabled; true by default. */
  sftp?: boolean
  /** Folders prepended to the PATH. */
  programs?: readonly string[]
  port?: number
  /** Additional configuration lines. */
  settings?: readonly string[]
}

/** Starts an OpenSSH server as this user on a loopback port, with its own keys. */
export const startSshd = async (options: SshServerOptions = {}): Promise<SshServer> => {
  const { hostKey = makeKeyPair(), sftp = true, programs = [], settings = [] } = options
  const folder = await temporaryDirectory()
  const directory = folder.path
  const authorized = join(directory, 'authorized_keys')
  await mkdir(join(directory, 'home'))
  await writeFile(join(directory, 'host_key'), hostKey.private, { mode: 0o600 })
  await writeFile(authorized, '')
  const port = options.port ?? (await freePort())
  // As root, sshd requires this folder for privilege separation.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const configuration = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(directory, 'host_key')}`,
    `AuthorizedKeysFile ${authorized}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'PasswordAuthentication yes',
    'KbdInteractiveAuthentication no',
    'LogLevel VERBOSE',
    'UseDNS no',
    'MaxStartups 100',
    ...(sftp ? ['Subsystem sftp internal-sftp'] : []),
    // A separate home, so that the shell reads no user settings.
    `SetEnv HOME=${join(directory, 'home')} PATH=${[...programs, process.env.PATH ?? '/usr/bin:/bin'].join(':')}`,
    ...settings,
  ]
  await writeFile(join(directory, 'sshd_config'), `${configuration.join('\n')}\n`)
  const child = spawn(command ?? 'sshd', ['-D', '-e', '-f', join(directory, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    void ended.then(() => reject(new Error(`sshd ended:\n${log}`)))
    createInterface(child.stderr).on('line', (line) => {
      log += `${line}\n`
      if (line.includes('Server listening on')) resolve()
    })
  })
  return {
    port,
    user: userInfo().username,
    directory,
    authorize: (publicKey) => appendFile(authorized, `${publicKey.trim()}\n`),
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}
