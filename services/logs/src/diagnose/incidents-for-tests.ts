export type Line = { at: number; source: string; text: string; severity?: 'CRITICAL' | 'ERROR' | 'WARN' }

/**
 * A failure in several sources whose cause and symptom are in different sources. `at` of a line is in seconds from the moment at which the proxy
 * begins to fail.
 */
export type Incident = { name: string; query: string; lines: readonly Line[]; cause: RegExp }

const repeat = (count: number, make: (index: number) => Line): Line[] =>
  Array.from({ length: count }, (_, at) => make(at))

const badGateways = (upstream: string, source = 'nginx:edge:error') =>
  repeat(120, (index) => ({
    at: index * 2,
    source,
    text: `[error] 71#71: *${index} connect() failed (111: Connection refused) while connecting to upstream, request: "GET /shop/${index} HTTP/1.1", upstream: "${upstream}", host: "shop.example"`,
    severity: 'ERROR' as const,
  }))

export const incidents: readonly Incident[] = [
  {
    name: 'a database that stopped',
    query: 'why do we get bad gateway from nginx',
    lines: [
      {
        at: -32,
        source: 'journald:data:postgresql',
        text: 'FATAL: the database system is shutting down',
        severity: 'CRITICAL',
      },
      ...repeat(40, (index) => ({
        at: -25 + index,
        source: 'docker:web:orders-api',
        text: `could not connect to server: Connection refused. Is the server running on host "10.0.0.7" and accepting TCP/IP connections on port 5432? attempt ${index}`,
        severity: 'ERROR' as const,
      })),
      ...badGateways('http://orders-api:8080/'),
    ],
    cause: /shutting down/,
  },
  {
    name: 'a disk that is full',
    query: 'connection refused on the proxy',
    lines: [
      {
        at: -40,
        source: 'journald:web:kernel',
        text: 'EXT4-fs warning (device sda1): ext4_da_write_end: No space left on device',
        severity: 'ERROR',
      },
      {
        at: -20,
        source: 'docker:web:catalogue',
        text: 'worker aborted: cannot write /var/lib/catalogue/index.tmp',
        severity: 'ERROR',
      },
      ...badGateways('http://catalogue:9000/'),
    ],
    cause: /No space left/,
  },
  {
    name: 'a program killed for memory',
    query: '502 errors in the shop',
    lines: [
      {
        at: -6,
        source: 'journald:web:kernel',
        text: 'Out of memory: Killed process 4242 (payments) total-vm:8123456kB, anon-rss:7012345kB',
        severity: 'CRITICAL',
      },
      {
        at: -5,
        source: 'journald:web:systemd',
        text: 'payments.service: Main process exited, code=killed, status=9/KILL',
        severity: 'WARN',
      },
      ...badGateways('http://payments:7000/'),
    ],
    cause: /Out of memory/,
  },
  {
    name: 'a resolver that does not answer',
    query: 'shop is unreachable, upstream errors',
    lines: [
      {
        at: -50,
        source: 'journald:net:unbound',
        text: 'error: SERVFAIL <inventory.internal. A IN>: all the configured stub or forward servers failed',
        severity: 'ERROR',
      },
      ...repeat(20, (index) => ({
        at: -30 + index,
        source: 'docker:web:inventory',
        text: `dial tcp: lookup warehouse.internal: no such host, request ${index}`,
        severity: 'ERROR' as const,
      })),
      ...badGateways('http://inventory:8000/'),
    ],
    cause: /SERVFAIL/,
  },
  {
    name: 'an expired certificate behind an application',
    query: 'nginx upstream failing',
    lines: [
      {
        at: -60,
        source: 'docker:id:keycloak',
        text: 'Server certificate expired: notAfter=2026-03-01T00:00:00Z',
        severity: 'ERROR',
      },
      ...repeat(20, (index) => ({
        at: -20 + index,
        source: 'docker:web:accounts',
        text: `token request ${index} to https://keycloak/auth failed: certificate has expired`,
        severity: 'ERROR' as const,
      })),
      ...badGateways('http://accounts:8200/'),
    ],
    cause: /notAfter/,
  },
  {
    name: 'a deployment',
    query: 'since when does nginx fail to connect to its upstream',
    lines: [
      { at: -45, source: 'ci:runner:deploy', text: 'Deployed billing version 3.2.0 to production' },
      {
        at: -12,
        source: 'docker:web:billing',
        text: 'TypeError: cannot read properties of undefined (reading "rate")',
        severity: 'ERROR',
      },
      ...badGateways('http://billing:8300/'),
    ],
    cause: /Deployed billing/,
  },
]

/** Failures all day long that are unrelated. */
export const noise: readonly Line[] = [
  ...repeat(240, (index) => ({
    at: -86_400 + index * 362,
    source: 'journald:mail:postfix',
    text: `warning: hostname host${index}.example does not resolve to address 203.0.113.${index % 250}`,
    severity: 'WARN' as const,
  })),
  ...repeat(240, (index) => ({
    at: -86_300 + index * 361,
    source: 'journald:edge:sshd',
    text: `Failed password for invalid user admin${index} from 198.51.100.${index % 250} port ${40_000 + index} ssh2`,
    severity: 'ERROR' as const,
  })),
  ...repeat(120, (index) => ({
    at: -86_250 + index * 719,
    source: 'docker:media:jellyfin',
    text: `ERROR: playback of item ${index} failed: transcoder exited`,
    severity: 'ERROR' as const,
  })),
]
