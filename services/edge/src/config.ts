import { ConfigError, read, secret, setting } from '@trellis/kit/config'
import { readProxies } from './admission/client-address.ts'
import { limitsConfig } from './limits-config.ts'

/** What the edge is told, beside the base of every process. */
export const edgeConfig = {
  development: setting(
    'NODE_ENV',
    (text) => text === 'development',
    false,
    'development opens music to pages of all origins.',
  ),
  hosts: setting(
    'EDGE_HOSTS',
    read.list,
    [],
    'Names and addresses that requests may have in Host, beside localhost, the address of HOST and the host of EDGE_URL; *.example.com for all below, * for any.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    readProxies,
    ['loopback'],
    'Proxies whose X-Forwarded-For says who calls: addresses, ranges, or loopback, linklocal, uniquelocal.',
  ),
  corsOrigins: setting('CORS_ORIGINS', read.origins, [], 'Origins whose pages may call listings and logs.'),
  musicCorsOrigins: setting('MUSIC_CORS_ORIGINS', read.origins, [], 'Origins whose pages may call music.'),
  ...limitsConfig,
  maxBodyMegabytes: setting('MAX_BODY_MB', read.integer(1, 1024), 16, 'Largest JSON body.'),
  maxStreams: setting('MAX_STREAMS', read.integer(1, 1_000_000), 10_000, 'Event streams open at once; more are 503.'),
  streamStallSeconds: setting(
    'STREAM_STALL_SECONDS',
    read.integer(1, 3600),
    60,
    'A stream whose client reads nothing for so long is ended.',
  ),
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    read.integer(0, 600),
    10,
    'How long requests in hand may take at the end.',
  ),
  cloudMode: setting('CLOUD_MODE', read.flag, false, 'Callers are told apart by session tokens (listings, music).'),
  jwtSecrets: secret(
    'GATEWAY_JWT_SECRET',
    read.list,
    [],
    'What session tokens are signed with; a comma list while rotating.',
  ),
  licenceUrl: setting('LICENSE_URL', read.optional(read.url), undefined, 'The licensing service that knows the tiers.'),
  licenceToken: secret('LICENSE_TOKEN', read.text, '', 'The bearer token for the licensing service.'),
  publicUrl: setting(
    'EDGE_URL',
    read.optional(read.url),
    undefined,
    'Where people reach this edge, for addresses in answers; the host of each request unless told.',
  ),
  apiKey: secret('SERVICE_API_KEY', read.text, '', 'The key that every logs route asks for; empty: none.'),
  adminKey: secret('SERVICE_ORCHARD_ADMIN_KEY', read.text, '', 'The key for managing branches; empty: that is off.'),
  branchKey: secret('SERVICE_BRANCH_KEY', read.text, '', 'The key that pushed batches must present; empty: none.'),
}

export type EdgeConfig = { readonly [Name in keyof typeof edgeConfig]: (typeof edgeConfig)[Name]['fallback'] }

/** What no single variable can say. Throws ConfigFailure. */
export const checkEdgeConfig = (config: EdgeConfig): void => {
  if (config.cloudMode && config.jwtSecrets.length === 0) {
    throw new ConfigError(
      'GATEWAY_JWT_SECRET must be set when CLOUD_MODE=1: without it no session token can be checked.',
    )
  }
}
