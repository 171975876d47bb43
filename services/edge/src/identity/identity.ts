import { anonymous, type Caller } from '@trellis/kit/rpc'
import type { Licence, Product } from './licence.ts'
import { guestId, sessionToken, verifySessionToken } from './session-token.ts'

export const localUser: Caller = { userId: 'local', kind: 'local', tier: 'local' }

export type IdentityOptions = { jwtSecrets: readonly string[]; licence: Licence }

type Headers = Record<string, string | string[] | undefined>

/**
 * Identifies the caller in cloud mode: the account of a valid session token, else the guest of the guest
 * cookie, else anonymous. Throws 401 for an invalid token. Not used in local mode, which has a single user.
 */
export const createIdentity =
  ({ jwtSecrets, licence }: IdentityOptions) =>
  async (headers: Headers, product: Product): Promise<Caller> => {
    const token = sessionToken(headers)
    if (token !== undefined) {
      const userId = await verifySessionToken(token, jwtSecrets)
      return { userId, kind: 'account', tier: await licence(userId, product) }
    }
    const guest = guestId(headers)
    return guest === undefined ? anonymous : { userId: `guest:${guest}`, kind: 'guest', tier: 'free' }
  }
