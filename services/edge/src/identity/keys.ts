import { isSameSecret, verifySession } from '@trellis/kit/credentials'
import { failure } from '@trellis/kit/errors'
import { parseCookie } from 'cookie'

type Headers = Record<string, string | string[] | undefined>

export type Keys = {
  apiKey: string
  adminKey: string
  branchKey: string
  /** In place of comparing with the branch key, for who keeps but a hash of it; in constant time. */
  isBranchKey?: ((given: string) => boolean) | undefined
  now?: () => number
}

export const logsSessionCookie = 'logs_session'

const bearer = (headers: Headers): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(String(headers.authorization ?? ''))?.[1]

const asBearer = '"Authorization: Bearer <key>"'

const refused = (what: string, how = asBearer) =>
  failure('unauthenticated', `${what} Send it as ${how}.`, {
    headers: { 'www-authenticate': 'Bearer realm="trellis"' },
  })

/** What a request without the key of a branch, or with a wrong one, is answered: 401. */
const refusedBranchKey = (headers: Headers) =>
  refused(bearer(headers) === undefined ? 'This needs the branch key.' : 'That is not the branch key.')

/** Throws 401 where a request has no key at all; which one it is, who has the key to compare says. */
export const requireBranchKey = (headers: Headers): void => {
  if (bearer(headers) === undefined) throw refusedBranchKey(headers)
}

/** Checks the keys of the logs service; each check throws 401, or 503 where the feature's key is not set. All comparisons take constant time. */
export const createKeyChecks = ({ apiKey, adminKey, branchKey, isBranchKey, now = Date.now }: Keys) => {
  const hasSession = (headers: Headers): boolean => {
    const cookie = parseCookie(String(headers.cookie ?? ''))[logsSessionCookie]
    return cookie !== undefined && verifySession(cookie, apiKey, now())
  }
  /** A session reads: where it is not enough, a page of another site that a browser sends the cookie from changes nothing. */
  const api_key = (headers: Headers, sessionIsEnough = false): void => {
    if (apiKey === '') return
    const given = bearer(headers)
    if (given !== undefined ? isSameSecret(given, apiKey) : sessionIsEnough && hasSession(headers)) return
    throw refused(given === undefined ? 'This needs the API key.' : 'That is not the API key.')
  }

  const admin_key = (headers: Headers): void => {
    if (adminKey === '') {
      throw failure('unavailable', 'Branches cannot be managed: SERVICE_ORCHARD_ADMIN_KEY is not set on the server.')
    }
    const given = String(headers['x-admin-key'] ?? bearer(headers) ?? '')
    if (given !== '' && isSameSecret(given, adminKey)) return
    throw refused(
      given === '' ? 'This needs the admin key.' : 'That is not the admin key.',
      `"X-Admin-Key: <key>" or ${asBearer}`,
    )
  }

  /** Without a branch key, pushing asks for what every route asks for. */
  const branch_key = (headers: Headers): void => {
    if (branchKey === '' && !isBranchKey) {
      api_key(headers)
      return
    }
    const given = bearer(headers)
    const isRight = isBranchKey ?? ((candidate: string) => isSameSecret(candidate, branchKey))
    if (given !== undefined && isRight(given)) return
    throw refusedBranchKey(headers)
  }

  return { api_key, admin_key, branch_key }
}

export type KeyChecks = ReturnType<typeof createKeyChecks>
