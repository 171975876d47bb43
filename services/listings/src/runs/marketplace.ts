import { serviceError } from '@trellis/kit/errors'
import type { ListingsConfig } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Marketplace } from '../worker/messages.ts'

/** Whether searches use the built-in demo marketplace: neither a site nor an API is configured. */
export const usesDemo = ({ baseUrl, apiUrl }: ListingsConfig): boolean => baseUrl === undefined && apiUrl === undefined

/** The marketplace that an adapter accesses. Throws 503 if its address is not configured. */
export const marketplaceFor = async (
  adapter: 'api' | 'scraper',
  { config, demoUrl }: Dependencies,
): Promise<Marketplace> => {
  if (adapter === 'api' && config.apiUrl !== undefined) return { adapter, baseUrl: config.apiUrl, isDemo: false }
  if (config.baseUrl !== undefined) return { adapter: 'scraper', baseUrl: config.baseUrl, isDemo: false }
  if (usesDemo(config)) return { adapter: 'scraper', baseUrl: await demoUrl(), isDemo: true }
  throw serviceError(
    'unavailable',
    'No marketplace site is configured: set MARKETPLACE_BASE_URL, or search with adapter=api.',
  )
}

/** Where sellers are looked up: on the site's pages, since the API has neither join dates nor categories. Undefined without a site. */
export const siteFor = async (dependencies: Dependencies): Promise<Marketplace | undefined> =>
  dependencies.config.baseUrl === undefined && !usesDemo(dependencies.config)
    ? undefined
    : marketplaceFor('scraper', dependencies)

/** Marks a response that comes from the demo marketplace. */
export const markDemo = ({ config }: Dependencies, head: { header: (name: string, value: string) => void }): void => {
  if (usesDemo(config)) head.header('x-marketplace', 'demo')
}
