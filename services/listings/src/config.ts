import { accessSync, constants } from 'node:fs'
import { ConfigError, read, secret, setting } from '@trellis/kit/config'

const identifier = (text: string): string => {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(text)) return text
  throw new Error('must be lower-case letters, digits and hyphens')
}

const repository = (text: string): string => {
  if (/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text)) return text
  throw new Error('must be owner/name')
}

const postgresUrl = (text: string): string => {
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return text
  throw new Error('must start with postgresql://')
}

/** A web address as it is, with a slash at its end: the marketplace signs its exact text. */
const exactUrl = (text: string): string => {
  read.url(text)
  return text
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

const smtpUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new Error('must be an address that starts with smtp:// or smtps://')
  if (url.search !== '' && url.search !== '?tls=required') throw new Error('may only end with the option ?tls=required')
  return text
}

const sender = (text: string): string => {
  if (/^[^@<>\r\n]*<?[^@\s<>]+@[^@\s<>]+>?$/.test(text)) return text
  throw new Error('must be an e-mail address such as alerts@example.com, or Trellis <alerts@example.com>')
}

/** Settings of the listings service. */
export const listingsConfig = {
  platform: setting('MARKETPLACE_PLATFORM', identifier, 'marketplace', 'Value of `platform` in the records.'),
  baseUrl: setting(
    'MARKETPLACE_BASE_URL',
    read.optional(read.url),
    undefined,
    'Marketplace site to read. Without it and MARKETPLACE_API_URL, the built-in demo marketplace is used.',
  ),
  demoUrl: setting(
    'MARKETPLACE_DEMO_URL',
    read.optional(read.url),
    undefined,
    'URL of a separate demo marketplace process, for workers on other machines; unset: each replica runs its own.',
  ),
  apiUrl: setting('MARKETPLACE_API_URL', read.optional(read.url), undefined, "The marketplace's official API."),
  environment: setting(
    'MARKETPLACE_ENV',
    read.oneOf('production', 'sandbox'),
    'production',
    'Which API credentials are used.',
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
    "The API's name for the site to search; unset: the default of the API.",
  ),
  profileUrl: setting(
    'MARKETPLACE_PROFILE_URL',
    read.optional(read.url),
    undefined,
    "The API's call for a seller's profile, which shows when the account was opened; unset: only pages show it.",
  ),
  currency: setting(
    'MARKETPLACE_CURRENCY',
    currencyCode,
    'USD',
    'Currency of prices that neither their sign nor the site determines.',
  ),
  userAgent: setting(
    'MARKETPLACE_USER_AGENT',
    read.text,
    'TrellisListings/0.1 (self-hosted listing search)',
    'User agent of requests to the marketplace; its first word is the name matched in robots.txt.',
  ),
  gapMilliseconds: setting(
    'MARKETPLACE_REQUEST_GAP_MS',
    read.integer(0, 60_000),
    1_000,
    'Minimum interval between two requests to the site, in milliseconds.',
  ),
  render: setting(
    'MARKETPLACE_RENDER',
    read.optional(read.oneOf('never', 'needed', 'always')),
    undefined,
    'Which pages a browser renders: never, needed (those that are empty until their scripts run) or always; needed where LISTINGS_CHROMIUM is set.',
  ),
  chromium: setting(
    'LISTINGS_CHROMIUM',
    read.optional(program),
    undefined,
    'Path of Chromium or its headless shell, for pages that need a browser; unset: all pages are read over HTTP.',
  ),
  chromiumSandbox: setting(
    'LISTINGS_CHROMIUM_SANDBOX',
    read.flag,
    true,
    'Whether Chromium uses its sandbox, which needs user namespaces and a user other than root; pods often lack both.',
  ),
  affiliateCampaign: setting(
    'MARKETPLACE_AFFILIATE_CAMPAIGN_ID',
    read.optional(read.text),
    undefined,
    'Campaign that links are wrapped with.',
  ),
  photoGapMilliseconds: setting(
    'MARKETPLACE_PHOTO_GAP_MS',
    read.integer(0, 60_000),
    100,
    'Minimum interval between two requests for photos to one host, in milliseconds.',
  ),
  photoWaitSeconds: setting(
    'LISTINGS_PHOTO_WAIT_SECONDS',
    read.integer(0, 120),
    5,
    'How long a search stays open for the results of its photos; later ones appear when a listing is requested or found again.',
  ),
  llmBaseUrl: setting(
    'LLM_BASE_URL',
    read.optional(read.url),
    undefined,
    'A chat-completions server in the style of OpenAI, such as http://localhost:11434/v1, which builds searches from plain words.',
  ),
  llmModel: setting('LLM_MODEL', read.text, '', 'The model that builds searches.'),
  llmVisionModel: setting(
    'LLM_VISION_MODEL',
    read.text,
    '',
    'A model of the same server that sees images, for the analysis of photos; empty: photos are only compared.',
  ),
  llmApiKey: secret('LLM_API_KEY', read.text, '', 'Sent to the server of the models as a bearer token.'),
  blockPrivateUpstreams: setting(
    'SERVICE_BLOCK_PRIVATE_UPSTREAMS',
    read.flag,
    false,
    'Refuses a chat-completions server at a private address.',
  ),
  cloudMode: setting(
    'CLOUD_MODE',
    read.flag,
    false,
    'Users have tiers; a search created as an object gets the limits of the lowest tier.',
  ),
  workers: setting('LISTINGS_SEARCH_WORKERS', read.integer(1, 64), 4, 'Maximum concurrent searches on this machine.'),
  workerMegabytes: setting(
    'LISTINGS_WORKER_MEMORY_MB',
    read.integer(128, 65_536),
    768,
    'Maximum physical memory of a search worker on this machine, without its browser; beyond it the worker is killed (on Linux).',
  ),
  browserMegabytes: setting(
    'LISTINGS_BROWSER_MEMORY_MB',
    read.integer(128, 65_536),
    3_072,
    'Maximum physical memory of the browser of a search worker on this machine; beyond it both are killed (on Linux).',
  ),
  searchesPerUser: setting(
    'LISTINGS_USER_SEARCHES',
    read.integer(1, 500),
    32,
    'Maximum waiting and running searches of one account, or of all guests and visitors at one address; more get 429.',
  ),
  retentionDays: setting(
    'LISTINGS_RETENTION_DAYS',
    read.integer(0, 36_500),
    365,
    'Days after which a listing that no search of its user has found again is deleted, with its prices, sightings, scores and photo hashes; 0: never.',
  ),
  guestDays: setting(
    'LISTINGS_GUEST_RETENTION_DAYS',
    read.integer(1, 36_500),
    30,
    "Days after which a guest's listings, saved searches, preferences, reports and imported blocklist are deleted.",
  ),
  listingsPerUser: setting(
    'LISTINGS_USER_LISTINGS',
    read.integer(1_000, 100_000_000),
    100_000,
    'Maximum stored listings of one user, a tenth of it for a guest; beyond it, those not found for longest are deleted within an hour.',
  ),
  monitorsAtOnce: setting(
    'LISTINGS_MONITORS_AT_ONCE',
    read.integer(1, 64),
    3,
    'Maximum concurrent runs of monitors in the installation. Fewer than LISTINGS_SEARCH_WORKERS, so that a worker is free for users; monitors also wait while other searches wait for one.',
  ),
  alertPrivateAddresses: setting(
    'LISTINGS_ALERT_PRIVATE_ADDRESSES',
    read.optional(read.flag),
    undefined,
    'Whether webhooks of alerts may have private addresses; unset: only without CLOUD_MODE.',
  ),
  smtpUrl: secret(
    'SMTP_URL',
    read.optional(smtpUrl),
    undefined,
    'Server that sends alerts by e-mail, such as smtp://user:password@mail.example.com:587?tls=required. smtps:// begins with TLS; smtp:// upgrades by STARTTLS if the server offers it, and with ?tls=required sends nothing otherwise. Unset: no e-mail.',
  ),
  smtpFrom: setting(
    'SMTP_FROM',
    read.optional(sender),
    undefined,
    'Sender of alerts by e-mail, such as Trellis <alerts@example.com>; required with SMTP_URL.',
  ),
  issueTrackerToken: secret(
    'ISSUE_TRACKER_API_TOKEN',
    read.optional(read.text),
    undefined,
    'Enables feedback: token of the issue tracker, with the right to create labels and issues.',
  ),
  issueTrackerUrl: setting(
    'ISSUE_TRACKER_URL',
    read.optional(read.url),
    undefined,
    "The tracker's API, such as https://forge.example/api/v1 or https://api.github.com.",
  ),
  issueTrackerRepository: setting(
    'ISSUE_TRACKER_REPO',
    read.optional(repository),
    undefined,
    'Repository of the issues, as owner/name.',
  ),
  issueTrackerKind: setting(
    'ISSUE_TRACKER_KIND',
    read.oneOf('forgejo', 'github'),
    'forgejo',
    'API of the tracker: forgejo (Gitea, too) or github.',
  ),
  communityDatabase: secret(
    'COMMUNITY_DB_URL',
    read.optional(postgresUrl),
    undefined,
    'Postgres database where trust signals are published; unset: they are not.',
  ),
  notificationToken: secret(
    'MARKETPLACE_NOTIFICATION_TOKEN',
    read.optional(read.text),
    undefined,
    'Verification token of account deletion notifications, as registered with the marketplace.',
  ),
  notificationEndpoint: setting(
    'MARKETPLACE_NOTIFICATION_ENDPOINT',
    read.optional(exactUrl),
    undefined,
    'Public URL of the account deletion endpoint, exactly as registered with the marketplace.',
  ),
  verifySignatures: setting(
    'MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES',
    read.optional(read.flag),
    undefined,
    'Whether the signatures of notifications are verified; unset: they are.',
  ),
  demoMode: setting('DEMO_MODE', read.flag, false, 'Refuses feedback.'),
}

/** Settings that only a worker receives, from the process that starts it. */
export const workerConfig = {
  hostStatesDirectory: setting(
    'LISTINGS_STANDINGS_DIRECTORY',
    read.optional(read.text),
    undefined,
    'Directory where workers share their request pacing; unset: each worker paces itself.',
  ),
}

export type ListingsConfig = {
  readonly [Name in keyof typeof listingsConfig]: (typeof listingsConfig)[Name]['fallback']
}

/** The API credentials of the configured environment, if both are set. */
export const apiCredentials = (
  config: ListingsConfig,
): { readonly id: string; readonly secret: string } | undefined => {
  const [id, key] =
    config.environment === 'sandbox'
      ? [config.sandboxAppId, config.sandboxCertId]
      : [config.appId ?? config.clientId, config.certId ?? config.clientSecret]
  return id === undefined || key === undefined ? undefined : { id, secret: key }
}

/** Whether the built-in demo marketplace is used: neither a site nor an API is configured. */
export const usesDemo = ({ baseUrl, apiUrl }: ListingsConfig): boolean => baseUrl === undefined && apiUrl === undefined

/** How mail is sent, or undefined without it. Throws when there is a server, but no sender. */
export const mailSettings = ({
  smtpUrl,
  smtpFrom,
}: ListingsConfig): { readonly smtpUrl: string; readonly from: string } | undefined => {
  if (smtpUrl === undefined) return undefined
  if (smtpFrom === undefined)
    throw new ConfigError('SMTP_URL is set, which needs a sender: set SMTP_FROM, such as alerts@example.com.')
  return { smtpUrl, from: smtpFrom }
}

/** Browser settings, or undefined when pages are not rendered. Throws when rendering is configured without a browser. */
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
