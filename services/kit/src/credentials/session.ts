import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from './secrets.ts'

export const sessionLifetimeSeconds = 12 * 3600

/** The session of a cookie. `expiresAt` is epoch seconds. */
export type Session = { readonly id: string; readonly expiresAt: number }

const sign = (key: string, signed: string) =>
  createHmac('sha256', key).update(`trellis-session:${signed}`).digest('base64url')

/** Issues a cookie value that proves that its holder once had the key, without containing the key: `<expiry>.<id>.<HMAC-SHA256>`. */
export const issueSession = (key: string, now: number): string => {
  const signed = `${Math.floor(now / 1_000) + sessionLifetimeSeconds}.${randomBytes(16).toString('base64url')}`
  return `${signed}.${sign(key, signed)}`
}

/** The session of a cookie value; undefined if it has expired or was not issued with this key. */
export const readSession = (value: string, key: string, now: number): Session | undefined => {
  const [, expiry = '', id = '', signature = ''] = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(value) ?? []
  if (!isSameSecret(signature, sign(key, `${expiry}.${id}`))) return undefined
  const expiresAt = Number(expiry)
  return expiresAt * 1_000 > now ? { id, expiresAt } : undefined
}
