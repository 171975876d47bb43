import { isServiceError, serviceError } from '@trellis/kit/errors'
import { Adapter } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { quotaRefusal } from '../api-use/quota.ts'
import { findUse } from '../api-use/store.ts'
import { chooseAdapter } from '../choose-adapter.ts'
import { usesDemo } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Marketplace } from '../worker/messages.ts'

/** The marketplace that an adapter accesses. Throws 503 if its address is not configured, and 502 if the quota of the API is used up. */
export const marketplaceFor = async (
  adapter: 'api' | 'scraper',
  { config, db, now, demoUrl }: Dependencies,
): Promise<Marketplace> => {
  const isDemo = usesDemo(config)
  if (adapter === 'api' && (config.apiUrl !== undefined || isDemo)) {
    const refusal = quotaRefusal((await findUse(db, config.platform, now())).quota, now())
    if (refusal !== undefined) throw refusal
    return { adapter, baseUrl: config.apiUrl ?? (await demoUrl()), isDemo }
  }
  if (config.baseUrl !== undefined) return { adapter: 'scraper', baseUrl: config.baseUrl, isDemo: false }
  if (isDemo) return { adapter: 'scraper', baseUrl: await demoUrl(), isDemo }
  throw serviceError(
    'unavailable',
    'No marketplace site is configured: set MARKETPLACE_BASE_URL, or search with adapter=api.',
  )
}

/** The API, if its credentials are configured and its quota is not used up. */
const apiFor = async (dependencies: Dependencies): Promise<Marketplace | undefined> => {
  if (chooseAdapter(Adapter.AUTO, dependencies.config) !== 'api') return undefined
  try {
    return await marketplaceFor('api', dependencies)
  } catch (error) {
    if (isServiceError(error, 'upstream_failed')) return undefined
    throw error
  }
}

/**
 * Where sellers are looked up: through the API, then on the site's pages, since the API shows no categories and not always the
 * age of an account. Undefined without either.
 */
export const sellerSources = async (
  dependencies: Dependencies,
): Promise<{ readonly marketplace: Marketplace; readonly api: Marketplace | null } | undefined> => {
  const hasSite = dependencies.config.baseUrl !== undefined || usesDemo(dependencies.config)
  const site = hasSite ? await marketplaceFor('scraper', dependencies) : undefined
  const api = await apiFor(dependencies)
  if (site !== undefined) return { marketplace: site, api: api ?? null }
  return api && { marketplace: api, api: null }
}

/** Marks a response that comes from the demo marketplace. */
export const markDemo = ({ config }: Dependencies, head: { header: (name: string, value: string) => void }): void => {
  if (usesDemo(config)) head.header('x-marketplace', 'demo')
}
