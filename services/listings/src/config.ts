import { accessSync, constants } from 'node:fs'
import { ConfigError, read, reserved, secret, setting } from '@trellis/kit/config'

const identifier = (text: string): string => {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(text)) return text
  throw new Error('must be lower-case letters, digits and hyphens')
}

const currencyCode = (text: string): string => {
  if (/^[A-Z]{3}$/.test(text)) return text
  throw new Error('must be a currency code such as USD')
}

const program = (path: string): string => {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    throw new Error('must name a program that can be run')
  }
}

/** What the listings service is told. */
export const listingsConfig = {
  platform: setting('MARKETPLACE_PLATFORM', identifier, 'marketplace', 'Value of `platform` in the records.'),
  baseUrl: setting(
    'MARKETPLACE_BASE_URL',
    read.optional(read.url),
    undefined,
    'The marketplace site to read. Without it and MARKETPLACE_API_URL, the built-in demo marketplace.',
  ),
  demoUrl: setting(
    'MARKETPLACE_DEMO_URL',
    read.optional(read.url),
    undefined,
    'Where the demo marketplace runs as a process of its own, for workers on other machines; unset: in each service.',
  ),
  apiUrl: setting('MARKETPLACE_API_URL', read.optional(read.url), undefined, "The marketplace's official API."),
  environment: setting(
    'MARKETPLACE_ENV',
    read.oneOf('production', 'sandbox'),
    'production',
    'Which API credentials count.',
  ),
  appId: secret('MARKETPLACE_APP_ID', read.optional(read.text), undefined, 'API client id (production).'),
  certId: secret('MARKETPLACE_CERT_ID', read.optional(read.text), undefined, 'API client secret (production).'),
  clientId: secret('MARKETPLACE_CLIENT_ID', read.optional(read.text), undefined, 'Older name of MARKETPLACE_APP_ID.'),
  clientSecret: secret(
    'MARKETPLACE_CLIENT_SECRET',
    read.optional(read.text),
    undefined,
    'Older name of MARKETPLACE_CERT_ID.',
  ),
  sandboxAppId: secret('MARKETPLACE_SANDBOX_APP_ID', read.optional(read.text), undefined, 'API client id (sandbox).'),
  sandboxCertId: secret(
    'MARKETPLACE_SANDBOX_CERT_ID',
    read.optional(read.text),
    undefined,
    'API client secret (sandbox).',
  ),
  siteId: setting(
    'MARKETPLACE_SITE_ID',
    read.optional(read.text),
    undefined,
    "The API's name for the site to search; its own default without it.",
  ),
  currency: setting('MARKETPLACE_CURRENCY', currencyCode, 'USD', 'Currency of prices whose sign and site tell none.'),
  userAgent: setting(
    'MARKETPLACE_USER_AGENT',
    read.text,
    'TrellisListings/0.1 (self-hosted listing search)',
    'How requests to the marketplace introduce themselves; its first word is the name in robots.txt.',
  ),
  gapMilliseconds: setting(
    'MARKETPLACE_REQUEST_GAP_MS',
    read.integer(0, 60_000),
    1_000,
    'Shortest time between two requests to the site.',
  ),
  render: setting(
    'MARKETPLACE_RENDER',
    read.optional(read.oneOf('never', 'needed', 'always')),
    undefined,
    'Which pages are shown in a browser: needed, those that are empty until their scripts have run, where LISTINGS_CHROMIUM is set.',
  ),
  chromium: setting(
    'LISTINGS_CHROMIUM',
    read.optional(program),
    undefined,
    'Chromium or its headless shell, for pages that need a browser; without it all are read over HTTP.',
  ),
  chromiumSandbox: setting(
    'LISTINGS_CHROMIUM_SANDBOX',
    read.flag,
    true,
    'Whether Chromium uses its own sandbox. It needs user namespaces and another user than root, which pods often lack.',
  ),
  affiliateCampaign: setting(
    'MARKETPLACE_AFFILIATE_CAMPAIGN_ID',
    read.optional(read.text),
    undefined,
    'Campaign that links are wrapped for.',
  ),
  cloudMode: setting(
    'CLOUD_MODE',
    read.flag,
    false,
    'Users have tiers: a search that an object asks for then has what the lowest allows.',
  ),
  workers: setting('LISTINGS_SEARCH_WORKERS', read.integer(1, 64), 4, 'Searches that run at once on this machine.'),
  workerMegabytes: setting(
    'LISTINGS_WORKER_MEMORY_MB',
    read.integer(128, 65_536),
    768,
    'Physical memory that one search worker on this machine may take, without its browser, before it is killed (on Linux).',
  ),
  browserMegabytes: setting(
    'LISTINGS_BROWSER_MEMORY_MB',
    read.integer(128, 65_536),
    3_072,
    'Physical memory that the browser of one search worker on this machine may take, before both are killed (on Linux).',
  ),
  searchesPerUser: setting(
    'LISTINGS_USER_SEARCHES',
    read.integer(1, 500),
    32,
    'Searches of one user that may wait or run at once; another is 429. Visitors without a session count as one user.',
  ),
  issueTrackerToken: reserved(
    secret(
      'ISSUE_TRACKER_API_TOKEN',
      read.optional(read.text),
      undefined,
      'Enables feedback, forwarded to the tracker.',
    ),
  ),
  communityDatabase: reserved(
    secret('COMMUNITY_DB_URL', read.optional(read.text), undefined, 'Where trust signals are shared; unset: nowhere.'),
  ),
  notificationToken: reserved(
    secret(
      'MARKETPLACE_NOTIFICATION_TOKEN',
      read.optional(read.text),
      undefined,
      "Verifies the marketplace's notifications.",
    ),
  ),
  notificationEndpoint: reserved(
    setting(
      'MARKETPLACE_NOTIFICATION_ENDPOINT',
      read.optional(read.url),
      undefined,
      'Where the marketplace notifies us.',
    ),
  ),
  verifySignatures: reserved(
    setting(
      'MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES',
      read.flag,
      true,
      "Whether notifications must be the marketplace's.",
    ),
  ),
  demoMode: reserved(setting('DEMO_MODE', read.flag, false, 'Refuses feedback.')),
}

/** What only a worker is told, by the process that starts it. */
export const workerConfig = {
  hostStatesDirectory: setting(
    'LISTINGS_STANDINGS_DIRECTORY',
    read.optional(read.text),
    undefined,
    'Where workers share their pace; each keeps its own without it.',
  ),
}

export type ListingsConfig = {
  readonly [Name in keyof typeof listingsConfig]: (typeof listingsConfig)[Name]['fallback']
}

/** The API's credentials for the environment in force, if both are set. */
export const apiCredentials = (
  config: ListingsConfig,
): { readonly id: string; readonly secret: string } | undefined => {
  const [id, key] =
    config.environment === 'sandbox'
      ? [config.sandboxAppId, config.sandboxCertId]
      : [config.appId ?? config.clientId, config.certId ?? config.clientSecret]
  return id === undefined || key === undefined ? undefined : { id, secret: key }
}

/** How pages are shown in a browser, if they are; a wish for it without a browser is a mistake that is told at the start. */
export const browserSettings = ({
  render,
  chromium,
  chromiumSandbox,
}: ListingsConfig):
  | { readonly pages: 'needed' | 'always'; readonly executable: string; readonly hasSandbox: boolean }
  | undefined => {
  if (chromium === undefined) {
    if (render === undefined || render === 'never') return undefined
    throw new ConfigError(`MARKETPLACE_RENDER is ${render}, which needs a browser: set LISTINGS_CHROMIUM.`)
  }
  return render === 'never'
    ? undefined
    : { pages: render ?? 'needed', executable: chromium, hasSandbox: chromiumSandbox }
}
