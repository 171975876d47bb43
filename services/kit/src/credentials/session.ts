import { createHmac } from 'node:crypto'
import { isSameSecret } from './secrets.ts'

export const sessionLifetimeSeconds = 12 * 3600

const sign = (key: string, expiresAt: string) =>
  createHmac('sha256', key).update(`trellis-session:${expiresAt}`).digest('base64url')

/** Issues a cookie value that proves that its holder once had the key, without containing the key: `<expiry>.<HMAC-SHA256>`. */
export const issueSession = (key: string, now: number): string => {
  const expiresAt = String(Math.floor(now / 1_000) + sessionLifetimeSeconds)
  return `${expiresAt}.${sign(key, expiresAt)}`
}

export const verifySession = (value: string, key: string, now: number): boolean => {
  const [expiresAt = '', signature = ''] = value.split('.')
  return (
    /^\d{1,12}$/.test(expiresAt) && Number(expiresAt) * 1_000 > now && isSameSecret(signature, sign(key, expiresAt))
  )
}
