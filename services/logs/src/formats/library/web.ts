import type { LogFormat } from '../format.ts'
import { clfTime, isoTime, pattern, quoted, slashTime } from './pieces.ts'

/** What comes before a client's address where two more follow it; before a client's name it is told by its port. */
const virtualHost = String.raw`[^\s,\["]+(?= (?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]*)(?: [^\s\["]+){2,5} \[)|[\w.-]+:\d{1,5}(?= [\w.-]+ - [^\s\["]+ \[)`

/** Web servers and proxies. A status of 500 and above is an error, 400 and above a warning. */
export const webFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'access-log',
    contains: '] "',
    pattern: pattern`^(?:(?<vhost>${virtualHost}) )?(?<client>[^\s,]+)(?:, ?(?<proxies>[^\s,]+(?:, ?[^\s,]+){0,9}))?(?: (?:-|(?<ident>[^\s\["]+))(?: (?<request>[0-9a-f]{16,64}|[^\s\["]+(?= - \[)))?(?: (?:-|""|"?(?<user>[^\["]{1,100}?)"?))?)? \[(?<time>${clfTime})\] "(?<message>${quoted})" (?<status>\d{3}|-) (?<bytes>\d+|-)(?: "(?<referer>${quoted})" "(?<agent>${quoted})"(?: (?<number>\d{1,20}) "(?<router>${quoted})" "(?<backend>${quoted})" (?<duration>\d{1,10}ms))?)?`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '192.0.2.7 - "kim" [12/Jan/2024:03:56:14 +0000] "GET /cart HTTP/2.0" 504 21 "-" "-" 42 "shop@docker" "http://10.0.0.9:8080" 30001ms',
        severity: 'ERROR',
        message: 'GET /cart HTTP/2.0',
        fields: { user: 'kim', router: 'shop@docker', backend: 'http://10.0.0.9:8080', duration: '30001ms' },
      },
      {
        line: '192.0.2.7 - kim [12/Jan/2024:03:56:14 +0330] "GET /a%20b?q=\\"x\\" HTTP/1.1" 200 5667 "https://example.com/" "Mozilla/5.0 (X11)"',
        time: '2024-01-12T00:26:14.000Z',
        severity: null,
        message: 'GET /a%20b?q=\\"x\\" HTTP/1.1',
        fields: { client: '192.0.2.7', user: 'kim', status: '200', bytes: '5667', agent: 'Mozilla/5.0 (X11)' },
      },
      {
        line: '2001:db8::7 - - [12/Jan/2024:03:56:14 +0000] "-" 408 -',
        time: '2024-01-12T03:56:14.000Z',
        severity: 'WARN',
      },
      {
        line: 'shop.example.com 192.0.2.7 - - [12/Jan/2024:03:56:14 +0000] "POST /cart HTTP/2.0" 502 0 "-" "curl/8.5.0"',
        severity: 'ERROR',
        fields: { vhost: 'shop.example.com', client: '192.0.2.7' },
      },
      {
        line: 'shop.example.com:443 2001:db8::7 - kim [12/Jan/2024:03:56:14 +0000] "PUT /basket/417 HTTP/1.1" 500 7',
        severity: 'ERROR',
        fields: { vhost: 'shop.example.com:443', client: '2001:db8::7', user: 'kim' },
      },
      {
        line: 'shop 192.0.2.7 - 7a11c0de7a11c0de7a11c0de7a11c0de kim [12/Jan/2024:03:56:14 +0000] "PUT /basket/417 HTTP/1.1" 201 7',
        fields: { vhost: 'shop', client: '192.0.2.7', request: '7a11c0de7a11c0de7a11c0de7a11c0de', user: 'kim' },
      },
      {
        line: '192.0.2.7, 10.0.0.3 - kim of the shop [12/Jan/2024:03:56:14 +0000] "GET /basket/417 HTTP/1.1" 404 7',
        severity: 'WARN',
        fields: { client: '192.0.2.7', proxies: '10.0.0.3', user: 'kim of the shop' },
      },
      {
        line: '192.0.2.7 - - [02/sept./2024:03:56:14 +0200] "GET /basket/417 HTTP/1.1" 200 7',
        time: '2024-09-02T01:56:14.000Z',
      },
      {
        line: '192.0.2.7 - - [12/Jan/2024:03:56:14 ] "GET /basket/417 HTTP/1.1" 200 7',
        time: '2024-01-12T03:56:14.000Z',
        fields: { client: '192.0.2.7', status: '200' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nginx-error',
    // A server of other programs (Unit) leaves out the colon.
    pattern: pattern`^(?<time>${slashTime}) \[(?<level>\w+)\] (?<pid>\d+)#(?<tid>\d+):? (?:\*(?<connection>\d+) )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024/03/01 09:15:02 [error] 71#71: *5 open() "/srv/x" failed (2: No such file or directory)',
        time: '2024-03-01T09:15:02.000Z',
        severity: 'ERROR',
        message: 'open() "/srv/x" failed (2: No such file or directory)',
        fields: { pid: '71', connection: '5' },
      },
      { line: '2024/03/01 09:15:02 [info] 8#8: client closed connection', severity: null },
      { line: '2024/03/01 09:15:02.114 [alert] 12#12 app process 40 exited on signal 9', severity: 'CRITICAL' },
    ],
  },
  {
    kind: 'pattern',
    name: 'apache-error',
    pattern: pattern`^\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d+)? \d{4})\] \[(?:(?<module>[\w-]*):)?(?<level>\w+)\] (?:\[pid (?<pid>\d+)(?::tid (?<tid>\d+))?\] )?(?:\[client (?<client>[^\]]+)\] )?(?<message>.*)`,
    time: 'asctime',
    joins: 'untilHeader',
    samples: [
      {
        line: '[Wed May 01 10:20:30 2024] [notice] shelf keeper 7 has come up',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
      },
      {
        line: "[Fri Jul 05 09:19:24.428126 2024] [proxy_fcgi:error] [pid 117:tid 139] [client 192.0.2.97:55309] AH01071: Got error 'x'",
        time: '2024-07-05T09:19:24.428Z',
        severity: 'ERROR',
        message: "AH01071: Got error 'x'",
        fields: { module: 'proxy_fcgi', pid: '117', client: '192.0.2.97:55309' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nginx-proxy-manager',
    pattern: pattern`^\[(?<time>${clfTime})\] (?:(?<cache>[\w-]+) )?(?:(?<upstream_status>\d{3}|-) )?(?<status>\d{3}) - (?<message>[A-Z]+ https? \S+ "${quoted}") \[Client (?<client>[^\]]+)\] \[Length (?<bytes>\d+|-)\]`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '[09/Feb/2024:08:15:30 +0100] - 502 502 - GET https wiki.example.net "/start" [Client 192.0.2.9] [Length 154] [Gzip -] [Sent-to 10.0.0.4] "curl/8.5.0" "-"',
        time: '2024-02-09T07:15:30.000Z',
        severity: 'ERROR',
        message: 'GET https wiki.example.net "/start"',
        fields: { client: '192.0.2.9', bytes: '154', upstream_status: '502' },
      },
      {
        line: '[09/Feb/2024:08:15:31 +0100] 404 - HEAD http 192.0.2.1 "/admin" [Client 192.0.2.77] [Length 0] [Gzip -] "-" "-"',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nginx-timed',
    pattern: pattern`^\[(?<time>${clfTime})\] (?<host>\S+) (?<client>[\d.:a-f]+) (?<duration>[\d.]+|-) "(?<message>${quoted})" (?<status>\d{3}) (?<bytes>\d+)`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '[09/Feb/2024:08:15:30 +0000] files.example.net 192.0.2.9 0.113 "PUT /dav/notes.md HTTP/2.0" 403 125 440 - Files/3.1',
        time: '2024-02-09T08:15:30.000Z',
        severity: 'WARN',
        message: 'PUT /dav/notes.md HTTP/2.0',
        fields: { duration: '0.113', host: 'files.example.net' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'haproxy',
    pattern: pattern`^(?:<\d{1,3}>)?(?:haproxy\[(?<pid>\d+)\]: )?(?<client>\S+):(?<port>\d+) \[(?<time>${clfTime})\] (?<frontend>\S+) (?<backend>[^\s\/]+/\S+) (?<timers>-?\d+/-?\d+/[-+\d/]+) (?:(?<status>\d{3}|-1) )?\+?(?<bytes>\d+) (?:\S+ \S+ )?(?<state>[-\w]{2,4}) [\d+/]+ [\d/]+(?: \{[^}]*\})*(?: "(?<message>${quoted})")?`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '192.0.2.14:40022 [09/Feb/2024:08:15:30.655] www~ app/web2 10/0/30/69/109 503 2750 - - SC-- 1/1/1/1/0 0/0 {example.net} "GET /index.html HTTP/1.1"',
        time: '2024-02-09T08:15:30.655Z',
        severity: 'ERROR',
        message: 'GET /index.html HTTP/1.1',
        fields: { client: '192.0.2.14', port: '40022', frontend: 'www~', backend: 'app/web2', state: 'SC--' },
      },
      {
        line: '2001:db8::7:40022 [09/Feb/2024:08:15:30.655] www app/web2 10/0/30/69/109 401 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"',
        time: '2024-02-09T08:15:30.655Z',
        severity: 'WARN',
        fields: { client: '2001:db8::7', port: '40022', status: '401' },
      },
      {
        line: '192.0.2.14:40023 [09/Feb/2024:08:15:31.100] db pg/primary 1/0/5007 212 -- 0/0/0/0/3 0/0',
        time: '2024-02-09T08:15:31.100Z',
        fields: { bytes: '212' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'haproxy-error',
    pattern: pattern`^(?:<\d{1,3}>)?(?:haproxy\[(?<pid>\d+)\]: )?(?<client>\S+):(?<port>\d+) \[(?<time>${clfTime})\] (?<frontend>[^\s\/]+)/(?<bind>[^\s:]+): (?<message>.*)`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '192.0.2.14:40022 [09/Feb/2024:08:15:30.655] www/door: Connection error during SSL handshake',
        time: '2024-02-09T08:15:30.655Z',
        severity: 'ERROR',
        message: 'Connection error during SSL handshake',
        fields: { frontend: 'www', bind: 'door' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'haproxy-process',
    pattern: pattern`^\[(?<level>NOTICE|WARNING|ALERT|DIAG)\] +(?:(?<day>\d+)/\d{6} )?\((?<pid>\d+)\) : (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: '[WARNING]  (7) : Server app/web2 is DOWN, reason: Layer4 timeout',
        time: null,
        severity: 'WARN',
        message: 'Server app/web2 is DOWN, reason: Layer4 timeout',
        fields: { pid: '7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'squid',
    pattern: pattern`^(?<time>\d{10}\.\d{3}) +(?<duration>\d+) (?<client>\S+) (?<result>[A-Z_]+)/(?<status>\d{3}) (?<bytes>\d+) (?<message>[A-Z_]+ \S+)`,
    time: 'epoch',
    joins: 'never',
    samples: [
      {
        line: '1717634687.123    456 192.0.2.20 TCP_DENIED/403 3988 CONNECT ads.example.com:443 kim HIER_NONE/- text/html',
        time: '2024-06-06T00:44:47.123Z',
        severity: 'WARN',
        message: 'CONNECT ads.example.com:443',
        fields: { result: 'TCP_DENIED' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'http-sys-error',
    // What the driver below IIS refuses itself: client, server, version, method, address, status, site, reason, queue.
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (?<client>[\d.:a-f%]+) (?<client_port>\d+|-) (?<server>[\d.:a-f%]+) (?<port>\d+|-) (?<protocol>HTTP/[\d.]+|-) (?<message>\S+ \S+)(?: \S+)? (?<status>\d{3}|-) (?<site>\d+|-) (?<reason>\w+|-) (?<queue>\S+)(?: \S+)?$`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-01 10:20:30 192.0.2.44 41200 10.0.0.5 443 HTTP/0.9 t3 12.2.1 400 - URL -',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 't3 12.2.1',
        fields: { client: '192.0.2.44', port: '443', reason: 'URL' },
      },
      {
        line: '2024-05-01 10:20:31 192.0.2.44 41201 10.0.0.5 443 - - - - - - Timer_ConnectionIdle -',
        time: '2024-05-01T10:20:31.000Z',
        severity: null,
        fields: { reason: 'Timer_ConnectionIdle' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'iis',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (?:(?<site>W3SVC\d+) (?:\S+ )?)?(?<server>[\d.:a-f]+) (?<message>[A-Z]+ \S+ \S+) (?<port>\d+) (?<user>\S+) (?<client>[\d.:a-f]+) (?:\S+ ){1,5}?(?<status>\d{3}) (?<substatus>\d{1,3}) (?<win32>\d+)(?: |$)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-01 10:20:30 10.0.0.5 GET /owa/auth.aspx id=7 443 - 192.0.2.44 Mozilla/5.0+(X11) https://example.net/ 401 2 5 15',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'GET /owa/auth.aspx id=7',
        fields: { client: '192.0.2.44', port: '443', substatus: '2' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'w3c-extended',
    // Other columns than those of IIS: what comes first, a method and a status tell it.
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2}[ \t]\d{2}:\d{2}:\d{2})[ \t](?<client>[\d.:a-f]+)(?:[ \t]\S+){0,5}?[ \t](?<message>(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND)[ \t]\S+)(?:[ \t]\S+){0,3}?[ \t](?<status>[1-5]\d{2})(?:[ \t]|$)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-02 10:20:30 192.0.2.25 - 10.3.0.5 80 GET /images/logo.png - 404 Mozilla/5.0+(Windows)',
        time: '2024-05-02T10:20:30.000Z',
        severity: 'WARN',
        message: 'GET /images/logo.png',
        fields: { client: '192.0.2.25' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'w3c-quoted',
    pattern: pattern`^"(?<time>\d{4}-\d{2}-\d{2}" "\d{2}:\d{2}:\d{2})" (?<message>".*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '"2024-05-01" "10:20:30" "a1b2" "Firefox" "Browser" "192.0.2.9" "GET" "/cart"',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: '"a1b2" "Firefox" "Browser" "192.0.2.9" "GET" "/cart"',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'envoy-access',
    pattern: pattern`^\[(?<time>${isoTime})\] "(?<message>${quoted})" (?<status>\d{1,3}) (?<flags>\S+) (?:.*? )?(?<received>\d+) (?<sent>\d+) (?<duration>\d+|-) (?<upstream>\d+|-) "`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '[2024-04-15T10:20:30.114Z] "POST /api/places HTTP/2" 503 UF 154 0 226 - "10.0.35.28" "shop/2.1" "cc21d9b0" "places" "10.0.2.1:80"',
        time: '2024-04-15T10:20:30.114Z',
        severity: 'ERROR',
        message: 'POST /api/places HTTP/2',
        fields: { flags: 'UF', duration: '226' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zoraxy',
    pattern: pattern`^(?:${slashTime} )?\[(?<time>${isoTime})\] \[router:(?<router>[^\]]*)\] \[origin:(?<origin>[^\]]*)\] \[client: ?(?<client>[^\]]*)\] \[useragent: ?(?<agent>[^\]]*)\] (?<message>[A-Z]+ \S+) (?<status>\d{3})`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '[2024-05-01 10:20:30.114000] [router:host-http] [origin:wiki.example.net] [client: 192.0.2.1] [useragent: curl/8.5.0] GET /.env 404',
        time: '2024-05-01T10:20:30.114Z',
        severity: 'WARN',
        message: 'GET /.env',
        fields: { router: 'host-http', agent: 'curl/8.5.0' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'w3c-directive',
    pattern: pattern`^#(?<directive>Software|Version|Date|Fields|Remark|Start-Date|End-Date|GMT-Offset|separator|set_separator|empty_field|unset_field|path|open|close|fields|types)[:\s]\s*(?:(?=(?<time>\d{4}-\d{2}-\d{2}[ -]\d{2}[:-]\d{2}[:-]\d{2}))|)(?<message>.*)`,
    time: 'iso',
    namesDay: true,
    joins: 'never',
    samples: [
      {
        line: '#Date: 2024-05-01 10:20:00',
        time: '2024-05-01T10:20:00.000Z',
        severity: null,
        message: '2024-05-01 10:20:00',
      },
      {
        line: '#Fields: date time c-ip cs-method sc-status',
        time: null,
        severity: null,
        message: 'date time c-ip cs-method sc-status',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'w3c-time-of-day',
    // The day stands in a directive before it.
    pattern: pattern`^(?<time>\d{2}:\d{2}:\d{2})[ \t](?<client>\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]+)[ \t](?<message>.*)`,
    time: 'timeOfDay',
    joins: 'never',
    samples: [
      {
        line: '10:20:30 192.0.2.7 [7]USER kim 331',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: '[7]USER kim 331',
        fields: { client: '192.0.2.7' },
      },
    ],
  },
]
