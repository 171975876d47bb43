import type { KeyObject } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { ApiCall } from '../marketplace/api/call.ts'
import type { TokenSource } from '../marketplace/api/token.ts'
import { readPublicKey } from './signature.ts'

/** Returns a public key of the marketplace by its id; undefined if there is none. Throws what the API causes. */
export type PublicKeys = (keyId: string) => Promise<KeyObject | undefined>

const lifetimes = { known: 3_600_000, unknown: 300_000 }
/** Maximum cached keys, and requests to the API in a minute: anyone may send ids of keys that do not exist. */
const limits = { cached: 100, requestsPerMinute: 30 }
const minute = 60_000

type Cached = { readonly key: KeyObject | undefined; readonly goodUntil: number }

export type PublicKeysOptions = {
  readonly call: ApiCall
  readonly tokens: TokenSource
  readonly apiUrl: string
  readonly now: () => number
  /** Ends requests under way. Senders do not: one that leaves may share its request with others. */
  readonly signal: AbortSignal
}

/** Whether the API answered that there is no such key, as opposed to a failure. */
const isUnknown = (error: unknown): boolean =>
  error instanceof Error && 'apiStatus' in error && (error.apiStatus === 400 || error.apiStatus === 404)

/** Fetches public keys from the API with an application token, and caches them for an hour; ids without a key for five minutes. */
export const createPublicKeys = ({ call, tokens, apiUrl, now, signal }: PublicKeysOptions): PublicKeys => {
  const cache = new Map<string, Cached>()
  const fetching = new Map<string, Promise<KeyObject | undefined>>()
  let recent: readonly number[] = []

  const admit = () => {
    recent = recent.filter((time) => time > now() - minute)
    if (recent.length >= limits.requestsPerMinute)
      throw serviceError('unavailable', 'Too many unknown keys were requested. Try again shortly.', {
        retryAfterSeconds: 60,
      })
    recent = [...recent, now()]
  }
  const store = (keyId: string, key: KeyObject | undefined) => {
    cache.delete(keyId)
    // Unknown ids never displace known keys.
    const evicted = [...cache].find(([, cached]) => cached.key === undefined) ?? [...cache][0]
    if (cache.size >= limits.cached && evicted !== undefined) cache.delete(evicted[0])
    cache.set(keyId, { key, goodUntil: now() + (key === undefined ? lifetimes.unknown : lifetimes.known) })
  }
  const fetchKey = async (keyId: string): Promise<KeyObject | undefined> => {
    const token = await tokens.tokenFor(`${new URL(apiUrl).origin}/oauth/api_scope`, signal)
    try {
      const headers = { authorization: `Bearer ${token}` }
      const { key } = await call(`${apiUrl}/commerce/notification/v1/public_key/${keyId}`, { headers, signal })
      return typeof key === 'string' ? readPublicKey(key) : undefined
    } catch (error) {
      if (isUnknown(error)) return undefined
      throw error
    }
  }
  const fetchOnce = async (keyId: string): Promise<KeyObject | undefined> => {
    const key = await fetchKey(keyId)
    store(keyId, key)
    return key
  }
  return async (keyId) => {
    const cached = cache.get(keyId)
    if (cached !== undefined && cached.goodUntil > now()) return cached.key
    const underWay = fetching.get(keyId)
    if (underWay !== undefined) return underWay
    admit()
    const fetched = fetchOnce(keyId).finally(() => fetching.delete(keyId))
    fetching.set(keyId, fetched)
    return fetched
  }
}
