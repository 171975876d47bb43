import type { LogFormat } from '../format.ts'
import { anyLevel, isoDate, pattern } from './pieces.ts'

/** What container runtimes, and senders of syslog, put before the lines of others. */
export const containerFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'cri',
    pattern: pattern`^(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d+(?:Z|[+-]\d{2}:\d{2})) (?<stream>stdout|stderr) (?<tag>[FP](?::\w+)*) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: / (stdout|stderr) /,
    samples: [
      {
        line: '2024-12-31T17:40:00.000000100+01:00 stdout F level=error msg="no route" code=7',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'ERROR',
        fields: { stream: 'stdout', code: '7' },
        message: 'no route',
      },
      {
        line: '2024-12-31T17:40:00.000000100+01:00 stderr F E1231 16:40:00.100000       7 shelf.go:7] row 7 leans',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { file: 'shelf.go:7', tag: 'F' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'container-time',
    // What `kubectl logs --timestamps` and `docker logs -t` put before lines that have a time or a level of their own.
    pattern: pattern`^(?<time>${isoDate}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})) (?=\{"|[DIWEF]\d{4} \d{2}:|\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]|[\da-f.:]+ \S+ \S+ \[\d{2}/|(?:time|ts|t|level|logger)=)(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    samples: [
      {
        line: '2024-12-31T16:40:00.123456789Z E1231 16:40:00.100000       7 shelf.go:7] row 7 leans',
        time: '2024-12-31T16:40:00.123Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { level: 'E', file: 'shelf.go:7' },
      },
      {
        line: '2024-12-31T16:40:00.123456789Z 192.0.2.7 - - [31/Dec/2024:16:40:00 +0000] "GET /row HTTP/1.1" 404 5 "-" "-"',
        time: '2024-12-31T16:40:00.123Z',
        severity: 'WARN',
        message: 'GET /row HTTP/1.1',
        fields: { client: '192.0.2.7', status: '404' },
      },
      {
        line: '2024-12-31T16:40:00Z {"level":"warn","msg":"row 7 leans"}',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'kubectl-prefix',
    pattern: pattern`^\[pod/(?<pod>[^/\]]+)/(?<container>[^\]]+)\] (?:(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d{7,9}(?:Z|[+-]\d{2}:\d{2})) )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: /^\[pod\/([^\]]+)\]/,
    samples: [
      {
        line: '[pod/shop-7f/web] 2024-12-31T16:40:00.123456789Z {"level":"error","msg":"row 7 fell over"}',
        time: '2024-12-31T16:40:00.123Z',
        severity: 'ERROR',
        message: 'row 7 fell over',
        fields: { pod: 'shop-7f', container: 'web' },
      },
      {
        line: '[pod/shop-7f/web] 2024-12-31 16:40:00,120 - shop - INFO - no row failed',
        time: '2024-12-31T16:40:00.120Z',
        severity: null,
        message: 'no row failed',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'docker-compose',
    // An optional timestamp of the container engine has more fractional digits than those of programs. In a swarm, the service is `web.1.id@node`.
    pattern: pattern`^(?!(?:${anyLevel}) )(?<service>[\w.@-]+) +\| ?(?:(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d{7,9}Z) )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: /^([\w.@-]+)/,
    samples: [
      {
        line: 'caddy  | {"level":"warn","ts":1717019822.5,"msg":"not formatted"}',
        time: '2024-05-29T21:57:02.500Z',
        severity: 'WARN',
        message: 'not formatted',
        fields: { service: 'caddy', level: 'warn' },
      },
      {
        line: 'shop-1  | 2024-05-01T10:20:30.123456789Z 2024-05-01 10:20:30,120 - shop.payments - ERROR - card was refused',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'card was refused',
        fields: { service: 'shop-1', logger: 'shop.payments' },
      },
      {
        line: 'shop.1.x7a9@attic    | {"level":"warn","msg":"row 7 leans"}',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { service: 'shop.1.x7a9@attic' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-priority',
    // A priority alone, as firewalls put it before lines of their own.
    pattern: pattern`^<(?<priority>\d{1,3})>:? {0,2}(?<message>[^\s<].*)`,
    joins: 'traces',
    wraps: true,
    samples: [
      {
        line: '<188>date=2024-05-01 time=10:20:30 devname="gate" type="event" level="alert" user="kim" msg="kim could not sign in"',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'kim could not sign in',
        fields: { user: 'kim', priority: '188' },
      },
      { line: '<11>the door fell over', time: null, severity: 'ERROR', message: 'the door fell over' },
    ],
  },
]
