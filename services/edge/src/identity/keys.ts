import { isSameSecret, verifySession } from '@trellis/kit/credentials'
import { serviceError } from '@trellis/kit/errors'
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
  serviceError('unauthenticated', `${what} Send it as ${how}.`, {
    headers: { 'www-authenticate': 'Bearer realm="trellis"' },
  })

/** What a request without the key of a branch, or with a wrong one, is answered: 401. */
const refusedBranchKey = (headers: Headers) =>
  refused(bearer(headers) === undefined ? 'This needs the branch key.' : 'That is not the branch key.')

/** Throws 401 where a request has no key at all; which one it is, who has the key to compare says. */
export const requireBranchKey = (headers: Headers): void => {
  if (bearer(headers) === undefined) throw refusedBranchKey(headers)
}

/**
 * A check of a credential. `given` is what a request gives it to compare, with the kind in front; undefined where there is nothing, or nothing is
 * asked for. `verify` throws 401 where that is not enough, or 503 where the feature's key is not set.
 */
export type CredentialCheck = {
  given: (headers: Headers) => string | undefined
  verify: (headers: Headers) => void
}

const named = (kind: string, credential: string | undefined): string | undefined =>
  credential === undefined || credential === '' ? undefined : `${kind} ${credential}`

/** What a branch is given to compare with its key. */
export const givenBranchKey = (headers: Headers): string | undefined => named('branch key', bearer(headers))

/** Checks the keys of the logs service. All comparisons take constant time. */
export const createKeyChecks = ({ apiKey, adminKey, branchKey, isBranchKey, now = Date.now }: Keys) => {
  const sessionOf = (headers: Headers): string | undefined =>
    parseCookie(String(headers.cookie ?? ''))[logsSessionCookie]

  /** A session reads: where it is not enough, a page of another site that a browser sends the cookie from changes nothing. */
  const api_key = (sessionIsEnough = false): CredentialCheck => ({
    given: (headers) => {
      if (apiKey === '') return undefined
      return named('api key', bearer(headers)) ?? (sessionIsEnough ? named('session', sessionOf(headers)) : undefined)
    },
    verify: (headers) => {
      if (apiKey === '') return
      const given = bearer(headers)
      const session = sessionIsEnough ? sessionOf(headers) : undefined
      const isRight =
        given === undefined
          ? session !== undefined && verifySession(session, apiKey, now())
          : isSameSecret(given, apiKey)
      if (!isRight) throw refused(given === undefined ? 'This needs the API key.' : 'That is not the API key.')
    },
  })

  const givenAdminKey = (headers: Headers): string => String(headers['x-admin-key'] ?? bearer(headers) ?? '')
  const admin_key = (): CredentialCheck => ({
    given: (headers) => (adminKey === '' ? undefined : named('admin key', givenAdminKey(headers))),
    verify: (headers) => {
      if (adminKey === '') {
        throw serviceError(
          'unavailable',
          'Branches cannot be managed: SERVICE_ORCHARD_ADMIN_KEY is not set on the server.',
        )
      }
      const given = givenAdminKey(headers)
      if (given !== '' && isSameSecret(given, adminKey)) return
      throw refused(
        given === '' ? 'This needs the admin key.' : 'That is not the admin key.',
        `"X-Admin-Key: <key>" or ${asBearer}`,
      )
    },
  })

  /** Without a branch key, pushing asks for what every route asks for. */
  const branch_key = (): CredentialCheck => {
    if (branchKey === '' && !isBranchKey) return api_key()
    const isRight = isBranchKey ?? ((candidate: string) => isSameSecret(candidate, branchKey))
    return {
      given: givenBranchKey,
      verify: (headers) => {
        const given = bearer(headers)
        if (given === undefined || !isRight(given)) throw refusedBranchKey(headers)
      },
    }
  }

  return { api_key, admin_key, branch_key }
}

export type KeyChecks = ReturnType<typeof createKeyChecks>
