import { isSameSecret, readSession, type Session } from '@trellis/kit/credentials'
import { serviceError } from '@trellis/kit/errors'
import { cookieOf } from './cookies.ts'

type Headers = Record<string, string | string[] | undefined>

export type Keys = {
  apiKey: string
  adminKey: string
  branchKey: string
  /** Replaces the comparison with the branch key, for callers that store only its hash; must take constant time. */
  isBranchKey?: ((presented: string) => boolean) | undefined
  now?: () => number
}

export const logsSessionCookie = 'logs_session'

const bearer = (headers: Headers): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(String(headers.authorization ?? ''))?.[1]

const asBearer = '"Authorization: Bearer <key>"'

const refused = (what: string, how = asBearer) =>
  serviceError('unauthenticated', `${what} Send it as ${how}.`, {
    headers: { 'www-authenticate': 'Bearer realm="trellis"' },
  })

/** The 401 for a request with a missing or wrong branch key. */
const refusedBranchKey = (headers: Headers) =>
  refused(bearer(headers) === undefined ? 'This needs the branch key.' : 'The branch key is wrong.')

/** Throws 401 for a request without any key; the branch itself compares the key. */
export const requireBranchKey = (headers: Headers): void => {
  if (bearer(headers) === undefined) throw refusedBranchKey(headers)
}

/**
 * A check of a credential. `presented` returns the credential of a request, prefixed with its kind; undefined if the request has none or none is
 * required. `verify` throws 401 for a missing or wrong credential, or 503 if the feature's key is not configured; it returns the session that sufficed
 * in place of a key.
 */
export type CredentialCheck = {
  presented: (headers: Headers) => string | undefined
  verify: (headers: Headers) => Session | undefined
}

/** The 401 for a session that was ended or has expired. */
export const refusedEndedSession = () => refused('This session has ended: this needs the API key.')

const named = (kind: string, credential: string | undefined): string | undefined =>
  credential === undefined || credential === '' ? undefined : `${kind} ${credential}`

/** The credential that a branch compares with its key. */
export const presentedBranchKey = (headers: Headers): string | undefined => named('branch key', bearer(headers))

/** Checks the keys of the logs service. All comparisons take constant time. */
export const createKeyChecks = ({ apiKey, adminKey, branchKey, isBranchKey, now = Date.now }: Keys) => {
  const sessionOf = (headers: Headers): string | undefined => cookieOf(String(headers.cookie ?? ''), logsSessionCookie)

  /** A session cookie suffices only for reading, so that a page of another site, which the browser sends the cookie for, cannot change anything. */
  const api_key = (sessionIsEnough = false): CredentialCheck => ({
    presented: (headers) => {
      if (apiKey === '') return undefined
      return named('api key', bearer(headers)) ?? (sessionIsEnough ? named('session', sessionOf(headers)) : undefined)
    },
    verify: (headers) => {
      if (apiKey === '') return undefined
      const presented = bearer(headers)
      if (presented !== undefined) {
        if (isSameSecret(presented, apiKey)) return undefined
        throw refused('The API key is wrong.')
      }
      const session = sessionIsEnough ? readSession(sessionOf(headers) ?? '', apiKey, now()) : undefined
      if (session === undefined) throw refused('This needs the API key.')
      return session
    },
  })

  const presentedAdminKey = (headers: Headers): string => String(headers['x-admin-key'] ?? bearer(headers) ?? '')
  const admin_key = (): CredentialCheck => ({
    presented: (headers) => (adminKey === '' ? undefined : named('admin key', presentedAdminKey(headers))),
    verify: (headers) => {
      if (adminKey === '') {
        throw serviceError('unavailable', 'Managing branches is disabled. Set SERVICE_ORCHARD_ADMIN_KEY on the server.')
      }
      const presented = presentedAdminKey(headers)
      if (presented !== '' && isSameSecret(presented, adminKey)) return undefined
      throw refused(
        presented === '' ? 'This needs the admin key.' : 'The admin key is wrong.',
        `"X-Admin-Key: <key>" or ${asBearer}`,
      )
    },
  })

  /** Without a branch key, pushing requires the API key like every route. */
  const branch_key = (): CredentialCheck => {
    if (branchKey === '' && !isBranchKey) return api_key()
    const isRight = isBranchKey ?? ((candidate: string) => isSameSecret(candidate, branchKey))
    return {
      presented: presentedBranchKey,
      verify: (headers) => {
        const presented = bearer(headers)
        if (presented === undefined || !isRight(presented)) throw refusedBranchKey(headers)
        return undefined
      },
    }
  }

  return { api_key, admin_key, branch_key }
}

export type KeyChecks = ReturnType<typeof createKeyChecks>
