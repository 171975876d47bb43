import { apiCredentials, type ListingsConfig } from '../../config.ts'
import type { MarketplaceAdapter } from '../../marketplace/adapter.ts'
import { createApiAdapter } from '../../marketplace/api/api-adapter.ts'
import { createApiCall } from '../../marketplace/api/call.ts'
import type { FetchPage } from '../../marketplace/scraper/fetch-page.ts'
import { createPoliteFetch } from '../../marketplace/scraper/polite.ts'
import { createScraper } from '../../marketplace/scraper/scraper.ts'
import { createFileStandings, createMemoryStandings } from '../../marketplace/scraper/standings.ts'
import type { Marketplace } from './messages.ts'

/** Ways to the marketplaces that runs name. What is polite about them (pace, rules, pages held) outlives a run. */
export const createAdapters = (
  config: ListingsConfig,
  standingsDirectory: string | undefined,
): ((marketplace: Marketplace) => MarketplaceAdapter) => {
  const { platform, currency: defaultCurrency, userAgent } = config
  const now = () => new Date()
  const standings = standingsDirectory === undefined ? createMemoryStandings() : createFileStandings(standingsDirectory)
  const fetches = new Map<boolean, FetchPage>()
  const fetchFor = (isDemo: boolean): FetchPage => {
    const known =
      fetches.get(isDemo) ??
      createPoliteFetch({ userAgent, gapMilliseconds: isDemo ? 0 : config.gapMilliseconds, standings })
    fetches.set(isDemo, known)
    return known
  }
  const credentials = apiCredentials(config)
  let api: MarketplaceAdapter | undefined
  return ({ adapter, baseUrl, isDemo }) => {
    if (adapter === 'scraper')
      return createScraper({ fetchPage: fetchFor(isDemo), baseUrl, platform, defaultCurrency, now })
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
