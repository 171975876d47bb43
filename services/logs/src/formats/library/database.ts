import type { LogFormat } from '../format.ts'
import { asctime, clock, isoDate, isoTime, pattern } from './pieces.ts'

const postgresZone = '(?:[A-Z]{2,5}|[+-]\\d{2,4})'
/** In English, German, French, Russian and Chinese (`lc_messages`). */
const postgresLevel = [
  'LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\\d?|DETAIL|HINT|QUERY|CONTEXT|LOCATION|STATEMENT',
  'FEHLER|PANIK|WARNUNG|HINWEIS|TIPP|ANWEISUNG|ZUSAMMENHANG',
  'ERREUR|PANIQUE|ATTENTION|DÉTAIL|ASTUCE|INSTRUCTION|CONTEXTE',
  'СООБЩЕНИЕ|ОШИБКА|ВАЖНО|ПАНИКА|ПРЕДУПРЕЖДЕНИЕ|ЗАМЕЧАНИЕ|ОПЕРАТОР|ПОДРОБНОСТИ|ПОДСКАЗКА|КОНТЕКСТ',
  '日志|错误|致命错误|警告|注意|语句|提示',
].join('|')

/** Databases, caches and queues that have a format of their own. */
export const databaseFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'postgres',
    // What log_line_prefix puts around the time is anything; the two spaces after the level are PostgreSQL's own.
    pattern: pattern`^(?:< ?|\[)?(?:(?<client>[\w.:-]+(?:\(\d+\))?|\[local\]) )?(?<time>${isoDate} ${clock} ${postgresZone})(?<context>(?:[\s:>\]][^"]{0,160}?[\s:>\]])??)(?<level>${postgresLevel}): {1,2}(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 03:20:30.250 PDT [77] LOG:  shelf worker 3 has come up',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
      },
      {
        line: '2024-05-01 12:20:30.125 CEST [4100] kim@shop FATAL:  no place left for another session',
        time: '2024-05-01T10:20:30.125Z',
        severity: 'CRITICAL',
      },
      {
        line: '2024-08-16 13:02:58 UTC:192.0.2.7(5432):kim@shop:[71]:ERROR:  canceling statement',
        severity: 'ERROR',
        message: 'canceling statement',
      },
      {
        line: '2024-08-16 13:02:58 UTC [71]: [3-1] user=kim,db=shop,app=psql,client=192.0.2.7 WARNING:  there is no transaction',
        severity: 'WARN',
      },
      {
        line: '192.0.2.7 2024-08-16 13:02:58.409 UTC [539] kim@shop ERROR:  relation "x" does not exist',
        time: '2024-08-16T13:02:58.409Z',
        severity: 'ERROR',
        fields: { client: '192.0.2.7' },
      },
      { line: '< 2024-08-16 13:02:58.409 UTC >PANIC:  could not write', severity: 'CRITICAL' },
      {
        line: '2024-08-16 13:02:58.409 CEST [71] kim@shop FEHLER:  Relation »regal« existiert nicht',
        time: '2024-08-16T11:02:58.409Z',
        severity: 'ERROR',
        message: 'Relation »regal« existiert nicht',
      },
      { line: '2024-08-16 13:02:58.409 MSK [71] kim@shop ПРЕДУПРЕЖДЕНИЕ:  нет транзакции', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'postgres-csv',
    pattern: pattern`^(?<time>${isoDate} ${clock} ${postgresZone}),(?<user>"[^"]*")?,(?<database>"[^"]*")?,(?<pid>\d+),(?<client>"[^"]*")?,[0-9a-f.]+,\d+,(?<command>"[^"]*")?,[^,]*,[^,]*,\d+,(?<level>[A-Z]+\d?),(?<code>\w{5}),(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-08-16 13:02:58.409 UTC,"kim","shop",539,"192.0.2.7:5000",66.2b,1,"SELECT",2024-08-16 13:02:50 UTC,3/7,0,ERROR,42P01,"relation ""x"" does not exist",,,,',
        time: '2024-08-16T13:02:58.409Z',
        severity: 'ERROR',
        fields: { code: '42P01', pid: '539' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'pgbouncer',
    pattern: pattern`^(?<time>${isoDate} ${clock} ${postgresZone}) \[(?<pid>\d+)\] (?<level>LOG|NOISE|DEBUG|WARNING|ERROR|FATAL) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-08-16 13:02:58.409 UTC [7] WARNING C-0x55: shop/kim@192.0.2.7:5000 pooler error: no such user',
        time: '2024-08-16T13:02:58.409Z',
        severity: 'WARN',
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
        line: '2024-05-01T10:20:30.250000Z 7 [Warning] [MY-013360] [Parser] the shelf table has no key',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        fields: { code: 'MY-013360', subsystem: 'Parser' },
      },
      {
        line: "2024-05-01  9:20:30 12 [Warning] Shelf 'attic' is nearly full",
        time: '2024-05-01T09:20:30.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-error-short',
    // As MySQL up to 5.5, MariaDB up to 10.1 and the script that starts either write it.
    pattern: pattern`^(?<time>\d{6} {1,2}\d{1,2}:\d{2}:\d{2}) +(?:\[(?<level>Note|Warning|ERROR)\] (?:(?<subsystem>InnoDB): )?|(?<program>mysqld(?:_safe)?|InnoDB)(?:: | ))(?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: "240501  9:20:30 [Warning] Shelf 'attic' is nearly full",
        time: '2024-05-01T09:20:30.000Z',
        severity: 'WARN',
        message: "Shelf 'attic' is nearly full",
      },
      {
        line: '240501 10:20:30 [ERROR] InnoDB: Cannot open shelf 7',
        severity: 'ERROR',
        message: 'Cannot open shelf 7',
        fields: { subsystem: 'InnoDB' },
      },
      {
        line: '240501 10:20:30 mysqld_safe Starting mysqld daemon from /srv/shop',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        fields: { program: 'mysqld_safe' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-general',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z)\s+(?<thread>\d+) (?<command>Query|Prepare|Execute|Long Data)(?:\s+|$)(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    quotes: true,
    samples: [
      {
        line: '2024-05-01T10:20:30.123456Z\t    8 Query\tSELECT 1',
        time: '2024-05-01T10:20:30.123Z',
        severity: null,
        message: 'SELECT 1',
        fields: { command: 'Query', thread: '8' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-general-session',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z)\s+(?<thread>\d+) (?<command>Connect|Quit|Init DB|Fetch|Close stmt|Reset stmt|Field List|Statistics|Ping|Change user|Binlog Dump|Refresh|Shutdown|Kill)(?:\s+|$)(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123456Z\t    8 Connect\tAccess denied for user kim@attic',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { command: 'Connect', thread: '8' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-started',
    // What the server writes at the beginning of its slow and its general log, and each time that it opens them again.
    pattern: pattern`^(?<message>\S*(?:mysqld|mariadbd)\S*, Version: (?<version>\S+) .*started with:)`,
    joins: 'untilHeader',
    samples: [
      {
        line: '/usr/sbin/mysqld, Version: 8.0.35 (MySQL Community Server - GPL). started with:',
        time: null,
        severity: null,
        fields: { version: '8.0.35' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mysql-slow',
    pattern: pattern`^# Time: (?<time>\S+)(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    quotes: true,
    samples: [{ line: '# Time: 2024-01-26T23:45:57.678222Z', time: '2024-01-26T23:45:57.678Z', severity: null }],
  },
  {
    kind: 'pattern',
    name: 'mysql-slow-short',
    pattern: pattern`^# Time: (?<time>\d{6} {1,2}\d{1,2}:\d{2}:\d{2})(?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    quotes: true,
    samples: [{ line: '# Time: 240501  9:20:30', time: '2024-05-01T09:20:30.000Z', severity: null }],
  },
  {
    kind: 'pattern',
    name: 'mssql',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{2,3}) (?<source>spid\d+s?|Logon|Server|Backup) +(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.17 spid51      Error: 1105, Severity: 17, State: 2.',
        time: '2024-05-01T10:20:30.170Z',
        severity: 'ERROR',
        message: 'Error: 1105, Severity: 17, State: 2.',
        fields: { source: 'spid51' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'oracle-alert',
    // A time alone, in one of two ways: what happened then is on the lines after it.
    pattern: pattern`^(?<time>${isoDate}T${clock}[+-]\d{2}:\d{2})(?<message>)$`,
    time: 'iso',
    joins: 'untilHeader',
    announces: true,
    samples: [{ line: '2024-05-01T12:20:30.123456+02:00', time: '2024-05-01T10:20:30.123Z', severity: null }],
  },
  {
    kind: 'pattern',
    name: 'oracle-alert-short',
    pattern: pattern`^(?<time>${asctime})(?<message>)$`,
    time: 'asctime',
    joins: 'untilHeader',
    announces: true,
    samples: [{ line: 'Wed May 01 10:20:30 2024', time: '2024-05-01T10:20:30.000Z', severity: null }],
  },
  {
    kind: 'pattern',
    name: 'oracle-listener',
    pattern: pattern`^(?<time>\d{2}-[A-Z]{3}-\d{4} \d{2}:\d{2}:\d{2}) \* (?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    samples: [
      {
        line: '01-MAY-2024 10:20:30 * (CONNECT_DATA=(SERVICE_NAME=shop)) * establish * shop * 12514',
        time: '2024-05-01T10:20:30.000Z',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'db2',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2}-\d{2}\.\d{2}\.\d{2}\.\d{6}(?:[+-]\d{3})?) +(?<record>\w+) +LEVEL: (?<level>\w+)(?<message>.*)`,
    time: 'db2',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01-05.20.30.123456-300 I77A567           LEVEL: Info',
        time: '2024-05-01T10:20:30.123Z',
        severity: null,
      },
      {
        line: '2024-05-01-10.20.30.123456+000 E1234A567           LEVEL: Severe',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { record: 'E1234A567' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mongodb',
    pattern: pattern`^(?<time>${isoDate}T${clock}[+-]\d{4}|${isoDate}T${clock}Z) (?<level>[DIWEF]\d?) +(?<component>[A-Z_]+|-) +\[(?<context>[^\]]*)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123+0200 W STORAGE  [conn7] Detected configuration for non-active engine',
        time: '2024-05-01T08:20:30.123Z',
        severity: 'WARN',
        fields: { component: 'STORAGE', context: 'conn7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'redis',
    pattern: pattern`^(?:(?<pid>\d+):(?<role>[XCSM])|\[(?<process>\d+)\]) (?<time>\d{2} [A-Z][a-z]{2}(?: \d{4})? ${clock}) (?<level>[.*#-]) (?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    samples: [
      {
        line: '7:M 01 May 2024 10:20:30.123 # Could not create server TCP listening socket',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        fields: { role: 'M' },
      },
      { line: '[7] 01 May 10:20:30.123 * Background saving started', time: '2024-05-01T10:20:30.123Z', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'redis-signal',
    pattern: pattern`^(?<pid>\d+):signal-handler \((?<time>\d{10})\) (?<message>.*)`,
    time: 'epoch',
    joins: 'untilHeader',
    samples: [
      {
        line: '7:signal-handler (1714558830) Received SIGTERM scheduling shutdown...',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'Received SIGTERM scheduling shutdown...',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'clickhouse',
    pattern: pattern`^(?<time>\d{4}\.\d{2}\.\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?) \[ (?<thread>\d+) \] \{(?<query>[^}]*)\} <(?<level>\w+)> (?<logger>[^:]+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024.05.01 10:20:30.123456 [ 77 ] {a1-b2} <Error> executeQuery: Code: 60. Unknown table',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Code: 60. Unknown table',
        fields: { logger: 'executeQuery' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'couchdb',
    pattern: pattern`^\[(?<level>\w+)\] (?<time>${isoTime}) (?<node>[^\s@]+@\S+) <(?<process>[\d.]+)> (?<request>\S+) (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[error] 2024-05-01T10:20:30.123456Z nonode@nohost <0.99.0> -------- rexi_server: from: couchdb died',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { node: 'nonode@nohost' },
      },
    ],
  },
]
