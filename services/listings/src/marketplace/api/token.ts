import { marketplaceFailure } from '../failures.ts'
import type { ApiCall } from './call.ts'

export type TokenSource = {
  readonly tokenFor: (scope: string, signal: AbortSignal) => Promise<string>
  /** Drops a token that the API no longer accepts. */
  readonly drop: (scope: string) => void
}

/** Tokens are replaced this long before they expire, in milliseconds. */
const margin = 60_000

type Held = { readonly token: string; readonly goodUntil: number }

/**
 * Fetches application tokens by the client-credentials grant, one per scope, and caches them until shortly before they expire.
 * Requests that arrive during a fetch share it.
 */
export const createTokenSource = ({
  call,
  apiUrl,
  clientId,
  clientSecret,
  now,
}: {
  readonly call: ApiCall
  readonly apiUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly now: () => number
}): TokenSource => {
  const held = new Map<string, Promise<Held>>()
  const fetchToken = async (scope: string, signal: AbortSignal): Promise<Held> => {
    const answer = await call(`${apiUrl}/identity/v1/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
      signal,
    })
    const { access_token: token, expires_in: seconds } = answer
    if (typeof token !== 'string') throw marketplaceFailure('failed', 'its API returned no token')
    return { token, goodUntil: now() + (typeof seconds === 'number' ? seconds * 1000 : 0) - margin }
  }
  const tokenFor = async (scope: string, signal: AbortSignal): Promise<string> => {
    const known = await held.get(scope)?.catch(() => undefined)
    if (known !== undefined && known.goodUntil > now()) return known.token
    const fetching = fetchToken(scope, signal)
    held.set(scope, fetching)
    fetching.catch(() => held.delete(scope))
    return (await fetching).token
  }
  return { tokenFor, drop: (scope) => void held.delete(scope) }
}
