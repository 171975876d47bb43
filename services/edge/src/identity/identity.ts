import { anonymous, type Caller } from '@trellis/kit/rpc'
import type { Licence, Product } from './licence.ts'
import { guestId, sessionToken, verifySessionToken } from './session-token.ts'

export const localUser: Caller = { userId: 'local', kind: 'local', tier: 'local' }

export type IdentityOptions = { jwtSecrets: readonly string[]; licence: Licence }

/** Who sends a request, and when the session that says so expires, in milliseconds since 1970; never for callers without one. */
export type Identified = { readonly caller: Caller; readonly expiresAt?: number }

type Headers = Record<string, string | string[] | undefined>

/**
 * Identifies the caller in cloud mode: the account of a valid session token, else the guest of the guest
 * cookie, else anonymous. Throws 401 for an invalid token. Not used in local mode, which has a single user.
 */
export const createIdentity =
  ({ jwtSecrets, licence }: IdentityOptions) =>
  async (headers: Headers, product: Product): Promise<Identified> => {
    const token = sessionToken(headers)
    if (token !== undefined) {
      const { userId, expiresAt } = await verifySessionToken(token, jwtSecrets)
      return { caller: { userId, kind: 'account', tier: await licence(userId, product) }, expiresAt }
    }
    const guest = guestId(headers)
    return { caller: guest === undefined ? anonymous : { userId: `guest:${guest}`, kind: 'guest', tier: 'free' } }
  }
