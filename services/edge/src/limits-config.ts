import { read, setting } from '@trellis/kit/config'

const perMinute = read.integer(0, 100_000_000)

/** Limits of connections and callers. Each edge replica counts for itself; rates are per minute, and 0 turns one off. */
export const limitsConfig = {
  maxConnections: setting(
    'MAX_CONNECTIONS',
    read.integer(1, 1_000_000),
    20_000,
    'Connections open at once; lowered to three quarters of the files that the process may open.',
  ),
  maxConnectionsPerAddress: setting(
    'MAX_CONNECTIONS_PER_ADDRESS',
    read.integer(0, 1_000_000),
    15_000,
    'Connections of one address; more are closed. Proxies in TRUSTED_PROXIES on other machines are not counted. 0: no limit.',
  ),
  maxStreamsPerAddress: setting(
    'MAX_STREAMS_PER_ADDRESS',
    read.integer(0, 1_000_000),
    5_000,
    'Event streams of one address, this machine apart; more are 429. 0: no limit.',
  ),
  headersSeconds: setting('HEADERS_TIMEOUT_SECONDS', read.integer(1, 3_600), 20, 'Time for the headers of a request.'),
  keepAliveSeconds: setting(
    'KEEP_ALIVE_SECONDS',
    read.integer(1, 3_600),
    65,
    'Time for which an idle connection stays open; more than load balancers wait.',
  ),
  bodyIdleSeconds: setting(
    'BODY_IDLE_SECONDS',
    read.integer(1, 3_600),
    30,
    'A body of which nothing arrives for so long is given up (408).',
  ),
  bodyBytesPerSecond: setting(
    'BODY_MIN_BYTES_PER_SECOND',
    read.integer(0, 1_000_000_000),
    500,
    'After the idle time, a body that arrives slower on average is given up (408).',
  ),
  responseIdleSeconds: setting(
    'RESPONSE_IDLE_SECONDS',
    read.integer(1, 3_600),
    60,
    'A connection whose client takes nothing of an answer for so long is cut.',
  ),
  requestsPerMinute: setting('RATE_LIMIT', perMinute, 60_000, 'Requests of an address, and of an account.'),
  failedCredentialsPerMinute: setting(
    'RATE_LIMIT_FAILED_CREDENTIALS',
    perMinute,
    60,
    'Wrong keys and sessions of an address; beyond it only credentials that were right before are looked at.',
  ),
  searchesPerMinute: setting('RATE_LIMIT_SEARCHES', perMinute, 120, 'Marketplace searches that a caller starts.'),
  generationsPerMinute: setting(
    'RATE_LIMIT_GENERATIONS',
    perMinute,
    60,
    'Calls of a caller that start generating audio.',
  ),
  exportsPerMinute: setting('RATE_LIMIT_EXPORTS', perMinute, 60, 'Exports and bundles that a caller requests.'),
  maxUploads: setting(
    'MAX_UPLOADS_PER_CALLER',
    read.integer(0, 1_000_000),
    32,
    'Uploads of a caller that are on their way at once, pushed batches apart; 0: no limit.',
  ),
}
