import { anonymous, type Caller } from '@trellis/kit/rpc'
import type { Licence, Product } from './licence.ts'
import { guestId, sessionToken, verifySessionToken } from './session-token.ts'

export const localUser: Caller = { userId: 'local', kind: 'local', tier: 'local' }

export type IdentityOptions = { cloudMode: boolean; jwtSecrets: readonly string[]; licence: Licence }

type Headers = Record<string, string | string[] | undefined>

/**
 * Finds out who is calling. Local mode: always the one local user. Cloud mode: the account that a valid session
 * token names, else the guest of the guest cookie, else anonymous. Throws 401 for a token that does not hold.
 */
export const createIdentity = ({ cloudMode, jwtSecrets, licence }: IdentityOptions) => {
  const inCloud = async (headers: Headers, product: Product): Promise<Caller> => {
    const token = sessionToken(headers)
    if (token !== undefined) {
      const userId = await verifySessionToken(token, jwtSecrets)
      return { userId, kind: 'account', tier: await licence(userId, product) }
    }
    const guest = guestId(headers)
    return guest === undefined ? anonymous : { userId: `guest:${guest}`, kind: 'guest', tier: 'free' }
  }
  return (headers: Headers, product: Product): Caller | Promise<Caller> =>
    cloudMode ? inCloud(headers, product) : localUser
}

export type Identity = ReturnType<typeof createIdentity>
