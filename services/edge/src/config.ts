import { ConfigError, read, secret, setting } from '@trellis/kit/config'
import { readProxies } from './admission/client-address.ts'
import { limitsConfig } from './limits-config.ts'

/** Settings of the edge, beside those of every process. */
export const edgeConfig = {
  development: setting(
    'NODE_ENV',
    (text) => text === 'development',
    false,
    'development allows pages of all origins to call music.',
  ),
  hosts: setting(
    'EDGE_HOSTS',
    read.list,
    [],
    'Names and addresses accepted in Host, beside localhost, the address of HOST and the host of EDGE_URL; *.example.com for all subdomains, * for any.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    readProxies,
    ['loopback'],
    'Proxies whose X-Forwarded-For is trusted: addresses, ranges, or loopback, linklocal, uniquelocal.',
  ),
  corsOrigins: setting('CORS_ORIGINS', read.origins, [], 'Origins whose pages may call listings and logs.'),
  musicCorsOrigins: setting('MUSIC_CORS_ORIGINS', read.origins, [], 'Origins whose pages may call music.'),
  ...limitsConfig,
  maxBodyMegabytes: setting('MAX_BODY_MB', read.integer(1, 1024), 16, 'Maximum size of a JSON body.'),
  maxStreams: setting('MAX_STREAMS', read.integer(1, 1_000_000), 10_000, 'Maximum open event streams; more are 503.'),
  streamStallSeconds: setting(
    'STREAM_STALL_SECONDS',
    read.integer(1, 3600),
    60,
    'A stream whose client reads nothing for this long is ended.',
  ),
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    read.integer(0, 600),
    10,
    'Time limit for draining requests at shutdown.',
  ),
  cloudMode: setting('CLOUD_MODE', read.flag, false, 'Callers are identified by session tokens (listings, music).'),
  jwtSecrets: secret(
    'GATEWAY_JWT_SECRET',
    read.list,
    [],
    'The secret that signs session tokens; a comma-separated list during a rotation.',
  ),
  licenceUrl: setting('LICENSE_URL', read.optional(read.url), undefined, 'The licensing service that resolves tiers.'),
  licenceToken: secret('LICENSE_TOKEN', read.text, '', 'The bearer token for the licensing service.'),
  publicUrl: setting(
    'EDGE_URL',
    read.optional(read.url),
    undefined,
    'The public URL of this edge, with its path if a proxy serves it under one, for URLs in answers; default: the host of each request.',
  ),
  signInUrl: setting(
    'SIGN_IN_URL',
    read.optional(read.url),
    undefined,
    'Where pages send visitors to sign in when CLOUD_MODE=1.',
  ),
  webDirectory: setting(
    'TRELLIS_WEB_DIR',
    read.optional(read.text),
    undefined,
    'The folder with the built web app; default: where npm start builds it, or beside the program.',
  ),
  apiKey: secret('SERVICE_API_KEY', read.text, '', 'The key that every logs route requires; empty: none.'),
  adminKey: secret('SERVICE_ORCHARD_ADMIN_KEY', read.text, '', 'The key for managing branches; empty: disabled.'),
  branchKey: secret('SERVICE_BRANCH_KEY', read.text, '', 'The key that pushed batches must present; empty: none.'),
}

export type EdgeConfig = { readonly [Name in keyof typeof edgeConfig]: (typeof edgeConfig)[Name]['fallback'] }

/** Checks settings that depend on each other. Throws ConfigError. */
export const checkEdgeConfig = (config: EdgeConfig): void => {
  if (config.cloudMode && config.jwtSecrets.length === 0) {
    throw new ConfigError('GATEWAY_JWT_SECRET must be set when CLOUD_MODE=1, to verify session tokens.')
  }
}
