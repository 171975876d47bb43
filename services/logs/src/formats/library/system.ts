import type { LogFormat } from '../format.ts'
import { anyLevel, clock, isoDate, isoTime, pattern, syslogTime } from './pieces.ts'

/** Databases, kernels, appliances and supercomputers. */
export const systemFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'postgres',
    pattern: pattern`^(?<time>${isoDate} ${clock} (?:[A-Z]{2,5}|[+-]\d{2}))(?<context>(?: \[\d+\]|:\S+| \S+@\S+)*) *(?<level>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\d?|DETAIL|HINT|QUERY|CONTEXT|STATEMENT): +(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-08-13 01:45:01.123 PDT [12345] LOG:  starting PostgreSQL 17.2',
        time: '2024-08-13T08:45:01.123Z',
        severity: null,
      },
      {
        line: '2024-08-16 13:02:58.095 CEST [885178] kim@shop FATAL:  password authentication failed for user "kim"',
        time: '2024-08-16T11:02:58.095Z',
        severity: 'CRITICAL',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-error',
    pattern: pattern`^(?<time>${isoDate}[T ] ?${clock}Z?) +(?<thread>\d+) \[(?<level>\w+)\] (?:\[(?<code>[\w-]+)\] )?(?:\[(?<subsystem>\w+)\] )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-08-06T14:25:02.936146Z 0 [Warning] [MY-010068] [Server] CA certificate ca.pem is self signed.',
        time: '2024-08-06T14:25:02.936Z',
        severity: 'WARN',
        fields: { code: 'MY-010068', subsystem: 'Server' },
      },
      {
        line: "2024-11-09  5:13:12 8 [Warning] Access denied for user 'kim'@'192.0.2.1'",
        time: '2024-11-09T05:13:12.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-slow',
    pattern: pattern`^# Time: (?<time>\S+)(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [{ line: '# Time: 2024-01-26T23:45:57.678222Z', time: '2024-01-26T23:45:57.678Z' }],
  },
  {
    kind: 'pattern',
    name: 'bluegene',
    pattern: pattern`^(?<alert>\S+) (?<epoch>\d{10}) \d{4}\.\d{2}\.\d{2} (?<node>\S+) (?<time>\d{4}-\d{2}-\d{2}-\d{2}\.\d{2}\.\d{2}\.\d+) \S+ (?<kind>\S+) (?<component>\S+) (?<level>\S+) (?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '- 1717838570 2024.06.03 R02-M1-N0-C:J12-U11 2024-06-03-15.42.50.675872 R02-M1-N0-C:J12-U11 RAS KERNEL FATAL data storage interrupt',
        time: '2024-06-03T15:42:50.675Z',
        severity: 'CRITICAL',
        message: 'data storage interrupt',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'auditd',
    pattern: pattern`^type=(?<type>\w+) msg=audit\((?<time>\d+\.\d+):(?<serial>\d+)\): ?(?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    samples: [
      {
        line: 'type=SYSCALL msg=audit(1717838570.579:2995): arch=c000003e syscall=59 success=yes',
        time: '2024-06-08T09:22:50.579Z',
        fields: { type: 'SYSCALL' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'asterisk',
    pattern: pattern`^\[(?<time>${syslogTime})\] (?<level>[A-Z]+)\[(?<pid>\d+)\](?:\[[^\]]*\])?:? (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: '[Dec 21 12:57:01] WARNING[77]: res_pjsip.c:114 x: no route',
        time: '2024-12-21T12:57:01.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zoneminder',
    pattern: pattern`^(?<time>\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}\.\d+) (?<program>\S+?)\[(?<pid>\d+)\]\.(?<level>\w+) \[(?<message>.*)`,
    time: 'american',
    joins: 'traces',
    samples: [
      {
        line: '01/25/24 16:08:02.393003 web_php[118770].ERR [192.0.2.1] [Could not retrieve user]',
        time: '2024-01-25T16:08:02.393Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'windows-event-xml',
    pattern: pattern`^<Event [^>]*><System>.*?<EventID[^>]*>(?<event>\d+)<.*?SystemTime=["'](?<time>[^"']+)["'](?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: `<Event xmlns="x"><System><Provider Name="S"/><EventID>4625</EventID><TimeCreated SystemTime='2024-11-30T09:00:01.5Z'/></System></Event>`,
        time: '2024-11-30T09:00:01.500Z',
        fields: { event: '4625' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'tai64n',
    pattern: pattern`^(?<time>@4[0-9a-f]{15,23}) (?<message>.*)`,
    time: 'tai64n',
    joins: 'traces',
    samples: [{ line: '@40000000433225833b6e1a8c tcpserver: status: 5/30', time: '2005-09-22T03:31:05.997Z' }],
  },
  {
    kind: 'pattern',
    name: 'strace',
    pattern: pattern`^(?:(?<pid>\d+) +)?(?<time>1\d{9}\.\d{6}) (?<message>(?:\w+\(|<\.\.\. |---|\+\+\+).*)`,
    time: 'epoch',
    joins: 'traces',
    samples: [
      {
        line: '10000 1717048351.000541 brk(NULL)                 = 0x55b1f2e94000 <0.000009>',
        time: '2024-05-30T05:52:31.001Z',
      },
    ],
  },
]

/** Lines that carry a time and perhaps a level, whoever wrote them: tried when nothing that knows more fits. */
export const genericFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'iso-time',
    pattern: pattern`^["\[(]?(?<time>${isoTime}|${isoDate}[T ]\d{2}:\d{2}\b)[\])"]?(?:(?:.{0,60}?[\s\[\]|:("])??(?<level>${anyLevel})(?=[\s\]|:)",]))?[\s\]:|)"-]*(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '2024-04-25T15:08:29.098Z [AUTH] WARN: Incorrect username or password',
        time: '2024-04-25T15:08:29.098Z',
        severity: 'WARN',
        message: 'Incorrect username or password',
      },
      {
        line: '2024-06-29 16:04:05 dovecot_login authenticator failed for [192.0.2.4]',
        time: '2024-06-29T16:04:05.000Z',
        severity: 'ERROR',
      },
      {
        line: '2024/02/21 08:05:56.233208 [error] POST /control/login: invalid password',
        time: '2024-02-21T08:05:56.233Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'common-time',
    pattern: pattern`^(?:\S+ )?\[?(?<time>\d{1,2}[/-][A-Z][a-z]{2}[/-]\d{4}[: ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: [+-]\d{4})?)\]?:? (?<message>.*)`,
    time: 'clf',
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: '19-Oct-2024 05:34:02.425 client @0x7f65 192.0.2.31#3076 (example.com): query denied',
        time: '2024-10-19T05:34:02.425Z',
        severity: 'ERROR',
      },
      { line: '[24/Jan/2024:16:51:02 +0000] - 404 404 - GET http example.com "/x"', time: '2024-01-24T16:51:02.000Z' },
    ],
  },
  {
    kind: 'pattern',
    name: 'unix-date',
    pattern: pattern`^(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?: [A-Z]{2,5})? \d{4}):? ?(?<message>.*)`,
    time: 'asctime',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'Wed May 15 08:00:01 EST 2024 line 1',
        time: '2024-05-15T13:00:01.000Z',
        severity: null,
        message: 'line 1',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'compact-time',
    pattern: pattern`^(?<time>\d{8}[.T -]\d{6}(?:[.,]\d+)?)[:\s]+(?:(?<level>${anyLevel})[:\s]+)?(?<message>.*)`,
    time: 'compact',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '20240702.102240,672:ERROR:foo bar baz',
        time: '2024-07-02T10:22:40.672Z',
        severity: 'ERROR',
        message: 'foo bar baz',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'epoch',
    pattern: pattern`^\[?(?<time>1\d{9}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?)\]?[\s:,|]+(?:\[?(?<level>${anyLevel})\]?[\s:]+)?(?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: '1717634687123 Hello, World!',
        time: '2024-06-06T00:44:47.123Z',
        severity: null,
        message: 'Hello, World!',
      },
      { line: '1717634687.5 ERROR no room', time: '2024-06-06T00:44:47.500Z', severity: 'ERROR' },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-only',
    pattern: pattern`^\[?(?<level>${anyLevel})(?:\]:?(?: |$)|:(?:(?<logger>[A-Za-z_][\w.]*):| )) *(?<message>.*)`,
    joins: 'traces',
    isGeneric: true,
    samples: [
      { line: 'INFO:     192.0.2.1:52782 - "POST /login HTTP/1.1" 401 Unauthorized', time: null, severity: null },
      { line: 'ERROR:root:it broke', time: null, severity: 'ERROR', message: 'it broke' },
    ],
  },
]

/** What container runtimes put before the lines of what they run. */
export const containerFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'cri',
    pattern: pattern`^(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d+(?:Z|[+-]\d{2}:\d{2})) (?<stream>stdout|stderr) (?<tag>[FP](?::\w+)*) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    samples: [
      {
        line: '2024-12-31T17:40:00.000000100+01:00 stdout F level=error msg="no route" code=7',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'docker-compose',
    pattern: pattern`^(?<service>[\w.-]+) +\| ?(?<message>.*)`,
    joins: 'traces',
    wraps: true,
    samples: [
      {
        line: 'caddy  | {"level":"warn","ts":1717019822.5,"msg":"not formatted"}',
        time: '2024-05-29T21:57:02.500Z',
        severity: 'WARN',
        fields: { service: 'caddy' },
      },
    ],
  },
]
