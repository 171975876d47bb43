import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A key in a known_hosts file: its type and its bytes in base64. */
export type KnownKey = { type: string; key: string; isRevoked: boolean }

const maxFileBytes = 8 * 1024 * 1024

/** A host in the format of the file: the port is omitted if it is 22. */
const writtenHost = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`

const toPattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .toLowerCase()
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

/** `|1|salt|hash`: HMAC-SHA-1 of the name. */
const isHashOf = (field: string, name: string): boolean => {
  const [, version, salt = '', written = ''] = field.split('|')
  if (version !== '1') return false
  const expected = Buffer.from(written, 'base64')
  const found = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest()
  return expected.length === found.length && timingSafeEqual(expected, found)
}

const isMeant = (field: string, name: string): boolean => {
  if (field.startsWith('|')) return isHashOf(field, name)
  const patterns = field.split(',')
  const fits = (pattern: string) => toPattern(pattern).test(name)
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && fits(pattern))
}

/** The keys that a known_hosts file has for a host (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). Certificate authorities are ignored. */
export const knownKeysIn = (text: string, host: string, port: number): KnownKey[] => {
  const name = writtenHost(host, port)
  return text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/)
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined
    const [hosts, type, key] = words
    if (hosts === undefined || type === undefined || key === undefined || hosts.startsWith('#')) return []
    if (marker !== undefined && marker !== '@revoked') return []
    return isMeant(hosts, name) ? [{ type, key, isRevoked: marker === '@revoked' }] : []
  })
}

/** The keys that files have for a host; a missing file has none. */
export const readKnownKeys = async (paths: readonly string[], host: string, port: number): Promise<KnownKey[]> => {
  const texts = await Promise.all(
    paths.map((path) =>
      readFile(path).then(
        (bytes) => bytes.subarray(0, maxFileBytes).toString('utf8'),
        () => '',
      ),
    ),
  )
  return texts.flatMap((text) => knownKeysIn(text, host, port))
}
