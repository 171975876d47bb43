import { read, setting } from '@trellis/kit/config'

const perMinute = read.integer(0, 100_000_000)

/** Limits of connections and callers. Each edge replica counts separately; rates are per minute, and 0 disables one. */
export const limitsConfig = {
  maxConnections: setting(
    'MAX_CONNECTIONS',
    read.integer(1, 1_000_000),
    20_000,
    'Maximum open connections; lowered to three quarters of the open files limit.',
  ),
  maxConnectionsPerAddress: setting(
    'MAX_CONNECTIONS_PER_ADDRESS',
    read.integer(0, 1_000_000),
    15_000,
    'Maximum connections of one address; more are closed. Proxies in TRUSTED_PROXIES on other machines are exempt. 0: no limit.',
  ),
  maxStreamsPerAddress: setting(
    'MAX_STREAMS_PER_ADDRESS',
    read.integer(0, 1_000_000),
    5_000,
    'Maximum event streams of one address, except this machine; more are 429. 0: no limit.',
  ),
  headersSeconds: setting(
    'HEADERS_TIMEOUT_SECONDS',
    read.integer(1, 3_600),
    20,
    'Time limit for the headers of a request.',
  ),
  keepAliveSeconds: setting(
    'KEEP_ALIVE_SECONDS',
    read.integer(1, 3_600),
    65,
    'Time for which an idle connection stays open; should exceed that of load balancers.',
  ),
  bodyIdleSeconds: setting(
    'BODY_IDLE_SECONDS',
    read.integer(1, 3_600),
    30,
    'A body is ended with 408 when nothing arrives for this long.',
  ),
  bodyBytesPerSecond: setting(
    'BODY_MIN_BYTES_PER_SECOND',
    read.integer(0, 1_000_000_000),
    500,
    'After the idle time, a body with a lower average rate is ended with 408.',
  ),
  responseIdleSeconds: setting(
    'RESPONSE_IDLE_SECONDS',
    read.integer(1, 3_600),
    60,
    'A connection whose client reads nothing of an answer for this long is closed.',
  ),
  requestsPerMinute: setting('RATE_LIMIT', perMinute, 60_000, 'Requests per address, and per account.'),
  failedCredentialsPerMinute: setting(
    'RATE_LIMIT_FAILED_CREDENTIALS',
    perMinute,
    60,
    'Failed keys and sessions per address, past which only credentials that were valid before are checked.',
  ),
  searchesPerMinute: setting('RATE_LIMIT_SEARCHES', perMinute, 120, 'Marketplace searches per caller.'),
  generationsPerMinute: setting(
    'RATE_LIMIT_GENERATIONS',
    perMinute,
    60,
    'Calls per caller that start to generate audio.',
  ),
  exportsPerMinute: setting('RATE_LIMIT_EXPORTS', perMinute, 60, 'Exports and bundles per caller.'),
  maxUploads: setting(
    'MAX_UPLOADS_PER_CALLER',
    read.integer(0, 1_000_000),
    32,
    'Maximum concurrent uploads of a caller, except pushed batches; 0: no limit.',
  ),
}
