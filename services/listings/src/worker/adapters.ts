import { apiCredentials, browserSettings, type ListingsConfig } from '../config.ts'
import type { MarketplaceAdapter } from '../marketplace/adapter.ts'
import { createApiAdapter } from '../marketplace/api/api-adapter.ts'
import { createApiCall } from '../marketplace/api/call.ts'
import { createQuotaReader } from '../marketplace/api/quota.ts'
import { createTokenSource, type TokenSource } from '../marketplace/api/token.ts'
import { createBrowser } from '../marketplace/browser/chromium.ts'
import type { FetchPage, Rendering } from '../marketplace/scraper/fetch-page.ts'
import { createMemoryHostStates, type HostStates } from '../marketplace/scraper/host-states.ts'
import { createPoliteFetch } from '../marketplace/scraper/polite.ts'
import { createScraper } from '../marketplace/scraper/scraper.ts'
import type { Marketplace } from './messages.ts'

/** The browser of this worker, which the first page that needs it starts, and which ends with the worker. */
const renderingOf = (config: ListingsConfig): Rendering | undefined => {
  const settings = browserSettings(config)
  if (settings === undefined) return undefined
  const { pages, executable, hasSandbox } = settings
  return { pages, render: createBrowser({ executable, hasSandbox, userAgent: config.userAgent }).render }
}

/**
 * Adapters for the marketplaces of runs. Politeness state (rate limits, rules, cached pages) outlives a run, and host states are
 * shared with other workers. The demo is ours, so its host state stays local and it is requested without gaps.
 */
export const createAdapters = (
  config: ListingsConfig,
  hostStates: HostStates,
): ((marketplace: Marketplace) => MarketplaceAdapter) => {
  const { platform, currency: defaultCurrency, userAgent } = config
  const now = () => new Date()
  const rendering = renderingOf(config)
  /** Hosts of the marketplaces that runs have named, which come from the service's configuration. */
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
  const call = createApiCall({ userAgent })
  const quota = createQuotaReader(Date.now)
  let tokens: TokenSource | undefined
  return ({ adapter, baseUrl, isDemo }) => {
    if (adapter === 'scraper') {
      configuredHosts.add(new URL(baseUrl).hostname)
      return createScraper({ fetchPage: fetchFor(isDemo), baseUrl, platform, defaultCurrency, now })
    }
    if (credentials !== undefined)
      tokens ??= createTokenSource({
        call,
        apiUrl: baseUrl,
        clientId: credentials.id,
        clientSecret: credentials.secret,
        now: Date.now,
      })
    // An adapter for each run, which counts its calls; all share their tokens.
    return createApiAdapter({
      call,
      tokens,
      quota,
      profileUrl: config.profileUrl ?? (isDemo ? `${baseUrl}/shopping` : undefined),
      apiUrl: baseUrl,
      clientId: credentials?.id,
      clientSecret: credentials?.secret,
      marketplaceId: config.siteId,
      platform,
      defaultCurrency,
      now,
    })
  }
}
