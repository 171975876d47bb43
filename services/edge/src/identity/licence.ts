import { createEgress } from '@trellis/kit/egress'
import type { Tier } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'

const cacheMilliseconds = 300_000
const timeoutMilliseconds = 5_000
const maxCached = 10_000
const maxAnswerBytes = 64 * 1024

export type Product = 'listings' | 'music'

export type LicenceOptions = { url: string | undefined; token: string; log: Log; now?: () => number }

const paidTiers: readonly string[] = ['free', 'paid', 'premium', 'ultra'] satisfies Tier[]

const isTier = (value: unknown): value is Tier => typeof value === 'string' && paidTiers.includes(value)

/**
 * Resolves a user's tier at the licensing service, after provisioning the user there. An unreachable or
 * unconfigured service means `free`; the result is cached for five minutes, also after a failure.
 */
export const createLicence = ({ url, token, log, now = Date.now }: LicenceOptions) => {
  // The operator configures the licensing service, often in an internal network, so private addresses are allowed.
  const egress = createEgress({ blockPrivate: false, maxResponseBytes: maxAnswerBytes })
  const cache = new Map<string, { tier: Tier; until: number }>()

  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await egress.fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`The licensing service answered ${response.status} to ${path}.`)
    }
    return response.json()
  }

  const resolveTier = async (userId: string, product: Product): Promise<Tier> => {
    try {
      await post('/admin/provision', { user_id: userId, product, tier: 'free' })
      const answer = await post('/admin/cloud/resolve', { user_id: userId, product })
      const tier = typeof answer === 'object' && answer !== null && 'tier' in answer ? answer.tier : undefined
      return isTier(tier) ? tier : 'free'
    } catch (error) {
      log.warn({ err: error, product }, 'licensing service failed, tier is free')
      return 'free'
    }
  }

  return async (userId: string, product: Product): Promise<Tier> => {
    if (url === undefined || token === '') return 'free'
    const key = `${product} ${userId}`
    const known = cache.get(key)
    if (known && known.until > now()) return known.tier
    const tier = await resolveTier(userId, product)
    if (cache.size >= maxCached) cache.clear()
    cache.set(key, { tier, until: now() + cacheMilliseconds })
    return tier
  }
}

export type Licence = ReturnType<typeof createLicence>
