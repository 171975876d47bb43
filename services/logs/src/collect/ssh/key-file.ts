import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, normalize, sep } from 'node:path'
import { SshFailure } from './ssh-failure.ts'

/** A private key that can be used, and problems with the permissions of its file. */
export type KeyFile = { contents: Buffer; warnings: readonly string[] }

const maxPathCharacters = 4_096
const maxKeyBytes = 64 * 1024
const groupBits = 0o070
const othersBits = 0o007

const refused = (message: string, cause?: unknown) => new SshFailure('key', message, { cause })

const isWithin = (path: string, folder: string) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/**
 * Why a path is not allowed for a key, as a sentence; undefined for an allowed path. Only the path itself is checked; links are resolved when
 * the key is read.
 */
export const refusalOfKeyPath = (path: string, folders: readonly string[]): string | undefined => {
  if (path.length > maxPathCharacters) return `The path of a key may have ${maxPathCharacters} characters.`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'The path of a key must not have control characters.'
  if (!isAbsolute(path)) return 'The path of a key must begin with "/".'
  if (normalize(path) !== path || path.endsWith(sep)) return 'The path of a key must not have "..", "." or empty parts.'
  if (folders.some((folder) => isWithin(path, normalize(folder)))) return undefined
  return `Keys are read only from ${folders.join(' and ')} (SERVICE_SSH_KEY_DIRS). Put the key there.`
}

const warningsOf = (path: string, mode: number, owner: number): string[] => {
  const others = [...(mode & groupBits ? ['its group'] : []), ...(mode & othersBits ? ['all users'] : [])]
  const self = process.getuid?.()
  return [
    ...(others.length > 0
      ? [`${path} is open to ${others.join(' and to ')} (mode ${(mode & 0o777).toString(8)}). Close it: chmod 600.`]
      : []),
    ...(self !== undefined && self !== 0 && owner !== self && owner !== 0
      ? [`${path} belongs to another user (${owner}), who can replace it.`]
      : []),
  ]
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist'
  if (code === 'EACCES' || code === 'EPERM') return 'this service may not read it'
  return code === '' ? 'unknown' : code
}

/** Resolves links of the folders themselves; a folder that does not exist has no keys. */
const realFolders = async (folders: readonly string[]): Promise<string[]> =>
  (await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)))).filter(
    (folder) => folder !== undefined,
  )

/** Opens a key file and checks it, without reading it. Throws SshFailure. */
const openKeyFile = async (path: string, folders: readonly string[]) => {
  const refusal = refusalOfKeyPath(path, folders)
  if (refusal !== undefined) throw refused(refusal)
  try {
    const target = await realpath(path)
    const isAllowed = (await realFolders(folders)).some((folder) => isWithin(target, folder))
    if (!isAllowed) throw refused(`The key ${path} is a link to a file outside of ${folders.join(' and ')}.`)
    // The checked file is the one that is read, because the last part cannot be a link any more. Opening a pipe does not block.
    await using opened = new AsyncDisposableStack()
    const handle = opened.use(await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
    const stats = await handle.stat()
    if (!stats.isFile()) throw refused(`${path} is not a key: it is not a file.`)
    if (stats.size > maxKeyBytes) throw refused(`${path} is not a key: it is larger than ${maxKeyBytes} bytes.`)
    opened.move()
    return { handle, warnings: warningsOf(path, stats.mode, stats.uid) }
  } catch (error) {
    if (error instanceof SshFailure) throw error
    throw refused(`The key ${path} cannot be read: ${reasonOf(error)}.`, error)
  }
}

/** Who else may read a key, as sentences; also that it cannot be read. */
export const keyWarnings = async (path: string, folders: readonly string[]): Promise<readonly string[]> => {
  try {
    const { handle, warnings } = await openKeyFile(path, folders)
    await handle.close()
    return warnings
  } catch (error) {
    if (error instanceof SshFailure) return [error.message]
    throw error
  }
}

/** Reads a private key from one of the folders. Throws SshFailure, whose message has no content of the file. */
export const readKeyFile = async (path: string, folders: readonly string[]): Promise<KeyFile> => {
  const { handle, warnings } = await openKeyFile(path, folders)
  await using _ = handle
  const contents = await handle.readFile()
  const { utils } = (await import('ssh2')).default
  const parsed = utils.parseKey(contents)
  const [key] = Array.isArray(parsed) ? parsed : [parsed]
  if (key instanceof Error || key === undefined) {
    const isEncrypted = key !== undefined && /encrypted/i.test(key.message)
    throw refused(
      isEncrypted
        ? `The key ${path} has a passphrase. Use one without a passphrase, only for this service: ssh-keygen -t ed25519 -N ''.`
        : `${path} is not a private key in a known format (OpenSSH, PEM or PPK).`,
    )
  }
  if (!key.isPrivateKey()) throw refused(`${path} is a public key. Name the private one, which has no ".pub".`)
  return { contents, warnings }
}
