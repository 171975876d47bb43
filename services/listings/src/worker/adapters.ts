import { apiCredentials, browserSettings, type ListingsConfig } from '../config.ts'
import type { MarketplaceAdapter } from '../marketplace/adapter.ts'
import { createApiAdapter } from '../marketplace/api/api-adapter.ts'
import { createApiCall } from '../marketplace/api/call.ts'
import { createBrowser } from '../marketplace/browser/chromium.ts'
import type { FetchPage, Rendering } from '../marketplace/scraper/fetch-page.ts'
import { createMemoryHostStates, type HostStates } from '../marketplace/scraper/host-states.ts'
import { createPoliteFetch } from '../marketplace/scraper/polite.ts'
import { createScraper } from '../marketplace/scraper/scraper.ts'
import type { Marketplace } from './messages.ts'

/** The browser of this worker, which starts with the first page that needs it and ends with the worker. */
const renderingOf = (config: ListingsConfig): Rendering | undefined => {
  const settings = browserSettings(config)
  if (settings === undefined) return undefined
  const { pages, executable, hasSandbox } = settings
  return { pages, render: createBrowser({ executable, hasSandbox, userAgent: config.userAgent }).render }
}

/**
 * Ways to the marketplaces that runs name. What is polite about them (pace, rules, pages held) outlives a run; how we stand
 * with hosts is shared with whoever has the same standings. The demo is ours: nobody need know how it is visited.
 */
export const createAdapters = (
  config: ListingsConfig,
  hostStates: HostStates,
): ((marketplace: Marketplace) => MarketplaceAdapter) => {
  const { platform, currency: defaultCurrency, userAgent } = config
  const now = () => new Date()
  const rendering = renderingOf(config)
  /** Of the marketplaces that the service was configured with. */
  const configuredHosts = new Set<string>()
  const fetches = new Map<boolean, FetchPage>()
  const fetchFor = (isDemo: boolean): FetchPage => {
    const known =
      fetches.get(isDemo) ??
      createPoliteFetch({
        userAgent,
        gapMilliseconds: isDemo ? 0 : config.gapMilliseconds,
        mayBePrivate: (hostname) => configuredHosts.has(hostname),
        hostStates: isDemo ? createMemoryHostStates() : hostStates,
        rendering,
      })
    fetches.set(isDemo, known)
    return known
  }
  const credentials = apiCredentials(config)
  let api: MarketplaceAdapter | undefined
  return ({ adapter, baseUrl, isDemo }) => {
    if (adapter === 'scraper') {
      configuredHosts.add(new URL(baseUrl).hostname)
      return createScraper({ fetchPage: fetchFor(isDemo), baseUrl, platform, defaultCurrency, now })
    }
    api ??= createApiAdapter({
      call: createApiCall({ userAgent }),
      apiUrl: baseUrl,
      clientId: credentials?.id,
      clientSecret: credentials?.secret,
      marketplaceId: config.siteId,
      platform,
      defaultCurrency,
      now,
    })
    return api
  }
}
