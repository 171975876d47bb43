import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { asctime, clfTime, isoTime, pattern, quoted } from './pieces.ts'

/** What frameworks and runtimes of web applications write of requests. A status of 500 and above is an error, 400 and above a warning. */
export const webFrameworkFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'uvicorn-access',
    pattern: pattern`^ ?(?:\[[A-Z]\w+\] ?)?(?:\[(?<time>${isoTime})\]|INFO:) *(?<client>[^\s"]+:\d+) - "(?<message>${quoted})" (?<status>\d{3})`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: 'INFO:     192.0.2.1:41200 - "PUT /basket/417 HTTP/1.1" 409 Conflict',
        time: null,
        severity: 'WARN',
        message: 'PUT /basket/417 HTTP/1.1',
        fields: { client: '192.0.2.1:41200' },
      },
      {
        line: ' [WORKER][2024-05-01 10:20:30] 192.0.2.1:0 - "GET /api/rows HTTP/1.1" 500',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'next',
    pattern: pattern`^ {1,3}(?<level>[▲✓○⚠⨯]) (?<message>.*)`,
    levels: new Map<string, Severity | null>([
      ['⨯', 'ERROR'],
      ['⚠', 'WARN'],
      ['▲', null],
      ['✓', null],
      ['○', null],
    ]),
    joins: 'traces',
    samples: [
      { line: ' ⨯ Error: no room', time: null, severity: 'ERROR', message: 'Error: no room' },
      { line: ' ⚠ row 7 leans', severity: 'WARN' },
      { line: ' ✓ Ready in 7ms, 1 row failed once', severity: null },
      { line: '   ▲ Next.js 15.0.0', severity: null, message: 'Next.js 15.0.0' },
    ],
  },
  {
    kind: 'pattern',
    name: 'next-request',
    pattern: pattern`^ (?<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (?<message>/\S*) (?<status>\d{3}) in (?<duration>[\d.]+m?s)`,
    joins: 'traces',
    samples: [
      {
        line: ' PUT /basket/417 500 in 77ms',
        time: null,
        severity: 'ERROR',
        message: '/basket/417',
        fields: { method: 'PUT', duration: '77ms' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'django-server',
    pattern: pattern`^\[(?<time>${clfTime})\] "(?<message>${quoted})" (?<status>\d{3}) (?<bytes>\d+)`,
    time: 'clf',
    joins: 'traces',
    samples: [
      {
        line: '[01/May/2024 10:20:30] "GET /polls/5/ HTTP/1.1" 404 2210',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'GET /polls/5/ HTTP/1.1',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'rails-request',
    pattern: pattern`^(?:\[[^\]]+\] )*Started (?<message>[A-Z]+ "[^"]*") for (?<client>\S+) at (?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{4})`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'Started PATCH "/orders/7" for 192.0.2.8 at 2024-05-01 10:20:30 +0200',
        time: '2024-05-01T08:20:30.000Z',
        severity: null,
        message: 'PATCH "/orders/7"',
        fields: { client: '192.0.2.8' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'php',
    pattern: pattern`^\[(?<time>\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?(?: [\w\/+:-]+)?)\] (?:PHP )?(?:(?<level>Fatal|Warning|Notice|Deprecated|[A-Z]{4,9})(?: error)?: +)?(?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    samples: [
      {
        line: '[01-May-2024 10:20:30 UTC] PHP Fatal error:  Uncaught TypeError: no in /srv/shop/cart.php:7',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'Uncaught TypeError: no in /srv/shop/cart.php:7',
      },
      {
        line: '[01-May-2024 10:20:30 Europe/Berlin] PHP Warning:  Undefined variable $row in /srv/shop/cart.php on line 7',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'WARN',
      },
      {
        line: '[01-May-2024 10:20:30] WARNING: [pool www] server reached pm.max_children setting (5)',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'uwsgi',
    pattern: pattern`^\[pid: (?<pid>\d+)\|app: (?<app>[\d-]+)\|req: (?<request>[\d/-]+)\] (?<client>\S+) \((?<user>[^)]*)\) \{[^}]*\} \[(?<time>${asctime})\] (?<message>[A-Z]+ \S+) => generated (?<bytes>\d+) bytes in (?<duration>\d+) m\w+ \([^)\s]* (?<status>\d{3})\)`,
    time: 'asctime',
    joins: 'never',
    samples: [
      {
        line: '[pid: 77|app: 0|req: 41/4100] 192.0.2.8 () {44 vars in 1322 bytes} [Wed May  1 10:20:30 2024] PUT /basket/417 => generated 19 bytes in 21 msecs (HTTP/1.1 503) 4 headers in 188 bytes (1 switches on core 0)',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'PUT /basket/417',
        fields: { client: '192.0.2.8', duration: '21' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'php-fpm-access',
    pattern: pattern`^(?<client>[\d.:a-f]+|-) - +(?<user>\S*) ?(?<time>\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}) "(?<message>${quoted})" (?<status>\d{3})`,
    time: 'clf',
    joins: 'never',
    samples: [
      {
        line: '127.0.0.1 -  01/May/2024:10:20:30 +0000 "POST /index.php" 500',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'POST /index.php',
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
]
