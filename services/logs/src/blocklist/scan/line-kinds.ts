/** The query of a line: a client requested a name. */
export type Sighting = { domain: string; client: string | null }

/** A format of lines that record queries for names. A test checks its samples. */
export type LineKind = {
  name: string
  /** Captures `domain`, and `client` if the line has it. */
  pattern: RegExp
  samples: readonly { line: string; domain: string; client: string | null }[]
}

/** Lines whose names are already blocked; they are skipped. */
export const alreadyBlocked: readonly RegExp[] = [
  /\bgravity blocked\b|\b(?:exactly|regex) (?:blocked|denied)\b|\bspecial domain\b/,
  /"IsFiltered"\s*:\s*true/,
]

const address = String.raw`(?<client>(?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})`

/** Tried in this order; the first match wins. */
export const lineKinds: readonly LineKind[] = [
  {
    name: 'dnsmasq, Pi-hole',
    pattern: new RegExp(String.raw`\bquery\[[A-Z0-9]+\] (?<domain>\S+) from ${address}`),
    samples: [
      {
        line: 'Mar  1 09:15:02 dnsmasq[811]: query[A] metrics.shop.example.com from 192.168.1.20',
        domain: 'metrics.shop.example.com',
        client: '192.168.1.20',
      },
      {
        line: 'Mar  1 09:15:02 dnsmasq[811]: query[AAAA] cdn.example.net from fd12:3456::17',
        domain: 'cdn.example.net',
        client: 'fd12:3456::17',
      },
    ],
  },
  {
    name: 'AdGuard Home query log',
    pattern: new RegExp(String.raw`"QH"\s*:\s*"(?<domain>[^"]+)"(?:.*?"IP"\s*:\s*"${address}")?`),
    samples: [
      {
        line: '{"T":"2026-03-01T09:15:02Z","QH":"beacon.example.net","QT":"A","QC":"IN","CP":"","Upstream":"1.1.1.1","IP":"192.168.1.21","Result":{},"Elapsed":1}',
        domain: 'beacon.example.net',
        client: '192.168.1.21',
      },
    ],
  },
  {
    name: 'BIND',
    pattern: new RegExp(
      String.raw`\bclient (?:@0x[0-9a-f]+ )?${address}#\d+ \([^)]*\): (?:view \S+: )?query: (?<domain>\S+) IN `,
    ),
    samples: [
      {
        line: '01-Mar-2026 09:15:02.123 queries: info: client @0x7f2a4c0 192.168.1.22#53124 (img.example.org): query: img.example.org IN A +E(0)K (192.168.1.1)',
        domain: 'img.example.org',
        client: '192.168.1.22',
      },
    ],
  },
  {
    name: 'unbound',
    pattern: new RegExp(String.raw`\binfo: ${address} (?<domain>\S+)\. [A-Z0-9]+ IN\b`),
    samples: [
      {
        line: '[1772356502] unbound[77:0] info: 192.168.1.23 api.example.org. AAAA IN',
        domain: 'api.example.org',
        client: '192.168.1.23',
      },
    ],
  },
  {
    name: 'CoreDNS',
    pattern: new RegExp(String.raw`\[INFO\] \[?${address}\]?:\d+ - \d+ "[A-Z0-9]+ IN (?<domain>\S+)\. (?:udp|tcp)\b`),
    samples: [
      {
        line: '[INFO] 10.42.0.9:40212 - 51022 "A IN log.example.net. udp 41 false 512" NOERROR qr,rd,ra 80 0.012s',
        domain: 'log.example.net',
        client: '10.42.0.9',
      },
    ],
  },
  {
    name: 'RouterOS',
    pattern: new RegExp(String.raw`\bquery from ${address}: #\d+ (?<domain>\S+)\. [A-Z0-9]+`),
    samples: [
      {
        line: 'dns query from 192.168.88.12: #4711 ads.example.com. A',
        domain: 'ads.example.com',
        client: '192.168.88.12',
      },
    ],
  },
  {
    name: 'Squid',
    pattern: new RegExp(
      String.raw`\s${address} (?:TCP|UDP|NONE)_\w+/\d{3} \d+ (?:CONNECT (?<domain>[\w.-]+):\d+|[A-Z]+ https?://(?<domain>[\w.-]+))`,
    ),
    samples: [
      {
        line: '1772356502.450    180 192.168.1.24 TCP_TUNNEL/200 5120 CONNECT telemetry.example.com:443 - HIER_DIRECT/203.0.113.7 -',
        domain: 'telemetry.example.com',
        client: '192.168.1.24',
      },
      {
        line: '1772356502.450    180 192.168.1.24 TCP_MISS/200 411 GET http://www.example.com/a?b - HIER_DIRECT/203.0.113.7 text/html',
        domain: 'www.example.com',
        client: '192.168.1.24',
      },
    ],
  },
  {
    name: 'Suricata events',
    pattern: new RegExp(String.raw`"src_ip"\s*:\s*"${address}".*?"(?:rrname|sni|hostname)"\s*:\s*"(?<domain>[^"]+)"`),
    samples: [
      {
        line: '{"timestamp":"2026-03-01T09:15:02.1+0000","event_type":"tls","src_ip":"192.168.1.25","src_port":51022,"dest_ip":"203.0.113.7","tls":{"subject":"CN=x","sni":"pixel.example.net"}}',
        domain: 'pixel.example.net',
        client: '192.168.1.25',
      },
      {
        line: '{"event_type":"dns","src_ip":"192.168.1.25","dns":{"type":"query","id":7,"rrname":"stats.example.net","rrtype":"A"}}',
        domain: 'stats.example.net',
        client: '192.168.1.25',
      },
    ],
  },
  {
    name: 'Zeek, as JSON',
    pattern: new RegExp(
      String.raw`"id\.orig_h"\s*:\s*"${address}".*?"(?:query|server_name|host)"\s*:\s*"(?<domain>[^"]+)"`,
    ),
    samples: [
      {
        line: '{"ts":1772356502.1,"uid":"C1","id.orig_h":"192.168.1.26","id.orig_p":5353,"proto":"udp","query":"tags.example.net","qtype_name":"A"}',
        domain: 'tags.example.net',
        client: '192.168.1.26',
      },
    ],
  },
  {
    name: 'firewalls with names and values, the address first',
    pattern: new RegExp(
      String.raw`\b(?:srcip|src|src_ip|SRC|client)="?${address}"?\b.*?\b(?:hostname|qname|sni|SNI|dstname|domain|query)="?(?<domain>[\w.-]+)`,
    ),
    samples: [
      {
        line: 'date=2026-03-01 time=09:15:02 type="utm" subtype="webfilter" srcip=192.168.1.27 srcport=51022 hostname="track.example.com" action="passthrough"',
        domain: 'track.example.com',
        client: '192.168.1.27',
      },
    ],
  },
  {
    name: 'firewalls with names and values, without an address before',
    pattern: /\b(?:hostname|qname|sni|SNI|dstname)="?(?<domain>[\w-]+(?:\.[\w-]+)+)/,
    samples: [{ line: 'fw: allowed tls sni=ping.example.net dpt=443', domain: 'ping.example.net', client: null }],
  },
]

/** Every line of these kinds contains at least one of these words, so that the index can skip all others. */
export const indexWords: readonly string[] = [
  'query',
  'qh',
  'in',
  'tcp',
  'udp',
  'none',
  'sni',
  'rrname',
  'hostname',
  'host',
  'qname',
  'dstname',
  'domain',
  'name',
]

const maxCharacters = 4_000

/** The query of a line, or undefined if it matches no kind or its name is already blocked. */
export const sightingOf = (line: string): Sighting | undefined => {
  const text = line.slice(0, maxCharacters)
  if (alreadyBlocked.some((pattern) => pattern.test(text))) return undefined
  for (const { pattern } of lineKinds) {
    const { domain, client = null } = pattern.exec(text)?.groups ?? {}
    if (domain !== undefined) return { domain, client }
  }
  return undefined
}
