import type { LogFormat } from '../format.ts'
import { clfTime, clock, isoDate, pattern, quoted, zone } from './pieces.ts'

/** Web servers, proxies and load balancers. A status of 500 and above is an error, 400 and above a warning. */
export const webFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'access-log',
    pattern: pattern`^(?<client>\S+)(?<who>(?: [^\s\["]+){0,5}) \[(?<time>${clfTime})\] "(?<message>${quoted})" (?<status>\d{3}|-) (?<bytes>\d+|-)(?: "(?<referer>${quoted})" "(?<agent>${quoted})")?`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '192.0.2.7 - kim [12/Jan/2024:03:56:14 +0330] "GET /a%20b?q=\\"x\\" HTTP/1.1" 200 5667 "https://example.com/" "Mozilla/5.0 (X11)"',
        time: '2024-01-12T00:26:14.000Z',
        severity: null,
        message: 'GET /a%20b?q=\\"x\\" HTTP/1.1',
        fields: { client: '192.0.2.7', status: '200', bytes: '5667', agent: 'Mozilla/5.0 (X11)' },
      },
      {
        line: '2001:db8::7 - - [12/Jan/2024:03:56:14 +0000] "-" 408 -',
        time: '2024-01-12T03:56:14.000Z',
        severity: 'WARN',
      },
      {
        line: 'shop.example.com 192.0.2.7 - - [12/Jan/2024:03:56:14 +0000] "POST /cart HTTP/2.0" 502 0 "-" "curl/8.5.0"',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nginx-error',
    pattern: pattern`^(?<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}) \[(?<level>\w+)\] (?<pid>\d+)#(?<tid>\d+): (?:\*(?<connection>\d+) )?(?<message>.*)`,
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
        line: '[Sun Dec 08 04:47:44 2024] [notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties',
        time: '2024-12-08T04:47:44.000Z',
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
    name: 'aws-load-balancer',
    pattern: pattern`^(?<protocol>https?|h2|grpcs?|wss?) (?<time>${isoDate}T${clock}${zone}) (?<balancer>\S+) (?<client>\S+) (?<target>\S+) (?:\S+ ){3}(?<status>\d{3}|-) (?<target_status>\S+) (?<received>\d+) (?<sent>\d+) "(?<message>${quoted})"`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: 'https 2024-04-26T12:22:55.463821Z app/one/49 192.0.2.10:44740 10.0.0.1:80 0.000 0.001 0.000 503 503 34 366 "GET https://www.example.com:443/ HTTP/1.1" "curl/8" - -',
        time: '2024-04-26T12:22:55.463Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'gin',
    pattern: pattern`^\[GIN\] (?<time>\d{4}/\d{2}/\d{2} - \d{2}:\d{2}:\d{2}) \| *(?<status>\d{3}) \| *(?<duration>\S+) \| *(?<client>\S+) \| *(?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '[GIN] 2024/02/07 - 10:49:33 | 401 |     505.317µs |       192.0.2.3 | POST     "/client"',
        time: '2024-02-07T10:49:33.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'w3c-directive',
    pattern: pattern`^#(?<directive>Software|Version|Date|Fields|Remark|Start-Date|End-Date|GMT-Offset|separator|set_separator|empty_field|unset_field|path|open|close|fields|types)[:\s]\s*(?<message>.*)`,
    joins: 'never',
    samples: [
      {
        line: '#Fields: date time c-ip cs-method sc-status',
        time: null,
        severity: null,
        message: 'date time c-ip cs-method sc-status',
      },
    ],
  },
]
