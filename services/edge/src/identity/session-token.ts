import { serviceError } from '@trellis/kit/errors'
import { errors, jwtVerify } from 'jose'
import { cookieOf } from './cookies.ts'

export const sessionCookie = 'gateway_session'
export const guestCookie = 'listing_guest'
const sessionHeader = 'x-gateway-session'

/** Three parts; an unsigned token has an empty third one, and is invalid rather than absent. */
const tokenShape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type Headers = Record<string, string | string[] | undefined>

const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))

/**
 * The session token of a request: from X-Gateway-Session, else from its cookies; each may hold the token itself or
 * a cookie string. Other values count as no token, because proxies forward arbitrary cookies.
 */
export const sessionToken = (headers: Headers): string | undefined => {
  const text = one(headers[sessionHeader]) || one(headers.cookie)
  const token = cookieOf(text, sessionCookie) ?? text.trim()
  return tokenShape.test(token) ? token : undefined
}

export const guestId = (headers: Headers): string | undefined => {
  const guest = cookieOf(one(headers.cookie), guestCookie)
  return guest !== undefined && uuidShape.test(guest) ? guest.toLowerCase() : undefined
}

/** Ids of callers without an account, which no token may claim. */
const isReserved = (id: string): boolean => ['anonymous', 'local'].includes(id) || id.startsWith('guest:')

/** Whether databases can store an id as it is: they refuse or replace U+0000 and halves of surrogate pairs. */
const isStorable = (id: string): boolean => id !== '' && !id.includes('\0') && id.isWellFormed()

/** The 401 for a session token that is not valid, or not any more. */
export const refusedSession = (cause?: unknown) =>
  serviceError('unauthenticated', 'The session is invalid or has expired. Sign in again.', {
    cause,
    headers: { 'www-authenticate': 'Bearer realm="trellis"' },
  })

/** A verified session: its user, and when it expires, in milliseconds since 1970. */
export type VerifiedSession = { readonly userId: string; readonly expiresAt: number }

/** Verifies a token (JWT, HS256, with `exp`) with any of the secrets; the user id is its `id` claim. Throws 401. */
export const verifySessionToken = async (token: string, secrets: readonly string[]): Promise<VerifiedSession> => {
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
        algorithms: ['HS256'],
        requiredClaims: ['id', 'exp'],
      })
      const { id, exp = 0 } = payload
      const expiresAt = exp * 1_000
      if (typeof id === 'string' && isStorable(id) && !isReserved(id)) return { userId: id, expiresAt }
      // A larger number was rounded when it was parsed, so that different users would have the same id.
      if (Number.isSafeInteger(id)) return { userId: String(id), expiresAt }
      throw refusedSession()
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw refusedSession(error)
    }
  }
  throw refusedSession()
}
