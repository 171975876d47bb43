import type { LogFormat } from '../format.ts'
import { anyLevel, clock, isoDate, isoTime, numericDate, pattern, syslogTime } from './pieces.ts'

/** What the logging libraries of other languages write. Every entry starts with a header, so all else belongs to the entry before. */
export const applicationFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'monolog',
    pattern: pattern`^\[(?<time>${isoTime})\] (?<channel>[\w.-]+)\.(?<level>[A-Z]+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01 10:20:30] shop.EMERGENCY: The roof leaks {"x":1}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        fields: { channel: 'shop' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ruby-logger',
    pattern: pattern`^[A-Z], \[(?<time>${isoDate}T${clock}) #(?<pid>\d+)\] +(?<level>[A-Z]+) -- (?<program>[^:]*): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W, [2024-05-01T10:20:30.250000 #77]  WARN -- shop: the door stands open',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'the door stands open',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'sidekiq',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z) (?:pid=)?(?<pid>\d+) (?:tid=|TID-)(?<tid>\w+) (?<context>(?:\w+=\S* )*)(?<level>[A-Z]+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123Z pid=7 tid=g1x class=MailJob jid=5ab elapsed=0.2 WARN: job is late',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'job is late',
        fields: { tid: 'g1x' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'elixir-logger',
    pattern: pattern`^(?<clock>\d{2}:\d{2}:\d{2}\.\d{3}) (?<metadata>(?:\w+=\S* )*)\[(?<level>debug|info|notice|warn|warning|error|critical|alert|emergency)\] +(?<message>.*)`,
    joins: 'untilHeader',
    samples: [
      {
        line: '10:20:30.123 request_id=F7a region=local [error] GenServer Shop.Cart terminating',
        time: null,
        severity: 'ERROR',
        message: 'GenServer Shop.Cart terminating',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'rabbitmq',
    pattern: pattern`^(?<time>${isoTime}) \[(?<level>\w+)\] <(?<process>\d+\.\d+\.\d+)> (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123456+00:00 [error] <0.222.0> closing AMQP connection: missed heartbeats',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { process: '0.222.0' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'erlang-report',
    pattern: pattern`^=(?<level>[A-Z]+) REPORT==== (?<time>\d{1,2}-[A-Z][a-z]{2}-\d{4}::\d{2}:\d{2}:\d{2}(?:\.\d+)?) ===(?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    announces: true,
    samples: [
      {
        line: '=ERROR REPORT==== 1-May-2024::10:20:30 ===',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'erlang-report-iso',
    pattern: pattern`^=(?<level>[A-Z]+) REPORT==== (?<time>${isoTime}) ===(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    announces: true,
    samples: [
      {
        line: '=ERROR REPORT==== 2024-05-01 10:20:30 ===',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'serilog',
    pattern: pattern`^(?<time>${isoDate} ${clock} ?[+-]\d{2}:\d{2}) \[(?<level>VRB|DBG|INF|WRN|ERR|FTL|Verbose|Debug|Information|Warning|Error|Fatal)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.250 -05:00 [WRN] Shelf 7 is nearly full',
        time: '2024-05-01T15:20:30.250Z',
        severity: 'WARN',
        message: 'Shelf 7 is nearly full',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'serilog-console',
    pattern: pattern`^\[(?<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?) (?<level>VRB|DBG|INF|WRN|ERR|FTL)\] (?<message>.*)`,
    joins: 'untilHeader',
    samples: [
      {
        line: '[10:20:30 ERR] Cannot bind to port 80',
        time: null,
        severity: 'ERROR',
        message: 'Cannot bind to port 80',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'dotnet-console',
    pattern: pattern`^(?<level>trce|dbug|info|warn|fail|crit): (?<logger>[\w.\x60\+-]+)\[(?<event>\d+)\](?<message>.*)`,
    joins: 'untilHeader',
    announces: true,
    samples: [
      {
        line: 'fail: Microsoft.AspNetCore.Server.Kestrel[13]',
        time: null,
        severity: 'ERROR',
        fields: { event: '13' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'pipe-separated',
    pattern: pattern`^(?<time>${isoTime})\|(?<level>\w+)\|(?<logger>[^|]*)\|(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: "2024-05-01 10:20:30.2|Warn|Shelf|Nearly full, says 'kim'",
        time: '2024-05-01T10:20:30.200Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nest',
    pattern: pattern`^\[Nest\] (?<pid>\d+) +- (?<time>\d{2}/\d{2}/\d{4}, \d{1,2}:\d{2}:\d{2} [AP]M) +(?<level>[A-Z]+) (?:\[(?<logger>[^\]]*)\] )?(?<message>.*)`,
    time: 'americanYear',
    joins: 'untilHeader',
    samples: [
      {
        line: '[Nest] 7  - 05/01/2024, 1:20:30 PM    WARN [ShelfKeeper] Nearly full',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'WARN',
        message: 'Nearly full',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'winston-text',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z?) \[(?<level>error|warn|info|http|verbose|debug|silly)\](?:\[(?<label>[^\]]+)\])?: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-06-20T10:20:30.114Z [warn][Jobs]: Scan was skipped {"library":"films"}',
        time: '2024-06-20T10:20:30.114Z',
        severity: 'WARN',
        message: 'Scan was skipped {"library":"films"}',
        fields: { label: 'Jobs' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'minecraft',
    pattern: pattern`^\[(?:(?<time>\d{1,2}[A-Z][a-z]{2}\d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?)|(?<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?))\] \[(?<thread>[^\]]+)/(?<level>[A-Z]+)\](?: \[[^\]]*\])?: (?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    samples: [
      {
        line: '[01May2024 10:20:30.250] [Server thread/WARN] [net.shop.Shelf/ROW]: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
      {
        line: "[10:20:30] [Server thread/WARN]: Can't keep up! Is the server overloaded?",
        time: null,
        severity: 'WARN',
        fields: { thread: 'Server thread' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'kotlin-compiler',
    pattern: pattern`^(?<level>[ewi]): (?<file>(?:file://|/)\S+?:\d+(?::\d+)?):? (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: 'e: file:///srv/shop/Shelf.kt:7:5 Unresolved reference: row',
        time: null,
        severity: 'ERROR',
        message: 'Unresolved reference: row',
        fields: { file: 'file:///srv/shop/Shelf.kt:7:5' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'chromium',
    pattern: pattern`^\[(?:(?<pid>\d+):(?:(?<thread>\d+):)?)?(?<time>\d{4}/\d{6}(?:\.\d+)?):(?<level>[A-Z]+\d?):(?<file>[^\]()]{1,200}\(\d+\))\] ?(?<message>.*)`,
    time: ['month', 'day', 'compactTime'],
    joins: 'untilHeader',
    samples: [
      {
        line: '[77:88:0501/102030.250000:WARNING:shelf.cc(400)] row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { pid: '77', file: 'shelf.cc(400)' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'meteor',
    pattern: pattern`^(?<level>[IWED])(?<time>\d{8}-\d{2}:\d{2}:\d{2}\.\d{3})\((?<offset>-?[\d.]+)\)\? (?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W20240501-10:20:30.250(2)? (STDERR) row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: '(STDERR) row 7 leans',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'bracketed-program',
    pattern: pattern`^\[(?<time>${isoTime})\] (?<program>[a-z][\w.-]*)\[(?<pid>\d+)\]: (?:(?<level>${anyLevel}): )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01 10:20:30.250] shelfd[77]: warning: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { program: 'shelfd', pid: '77' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'glib',
    pattern: pattern`^(?:\((?<program>[^:()]{1,80}):(?<pid>\d+)\): |\*\* (?=[A-Z(]))(?:(?<domain>[\w-]{1,60}?)-)??(?<level>ERROR|CRITICAL|WARNING|Message|INFO|DEBUG)(?: \*\*)?: (?:(?<clock>\d{2}:\d{2}:\d{2}\.\d{3}): )?(?<message>.*)`,
    joins: 'traces',
    levels: new Map([['message', null]]),
    samples: [
      {
        line: '(shelf:77): Gtk-WARNING **: 10:20:30.250: row 7 leans',
        time: null,
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { program: 'shelf', pid: '77', domain: 'Gtk' },
      },
      {
        line: '(shelf:77): GLib-GIO-CRITICAL **: 10:20:30.250: no room',
        severity: 'CRITICAL',
        fields: { domain: 'GLib-GIO' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'buildkit',
    pattern: pattern`^#(?<step>\d+) (?:(?<uptime>\d+\.\d{1,3}) |(?<level>ERROR|WARN|WARNING): |(?=\[(?:internal\]|[^\]]{0,120}\d+/\d+\])|DONE \d|CACHED|CANCELED))(?<message>.*)`,
    joins: 'traces',
    samples: [
      { line: '#7 ERROR: no room', time: null, severity: 'ERROR', message: 'no room', fields: { step: '7' } },
      { line: '#7 0.250 row 7 stands', severity: null, message: 'row 7 stands' },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-first',
    pattern: pattern`^[\[(<]?(?<level>${anyLevel})[\])>]?(?::? {1,12}| ?[-|] ?|\t|:)(?:(?<logger>[A-Za-z][\w.-]*): )?[\[(]?(?<time>${isoTime}|${numericDate}|\d{2}-\d{2} ${clock}|${syslogTime})[\])]? *(?:-{1,2}>? |: ?)?\t?(?<message>.*)`,
    time: 'numericMoment',
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERROR    2024-05-01T10:20:30 - Shelf 7 fell over',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Shelf 7 fell over',
      },
      {
        line: '[WARN] [05/14/2024 10:20:30.250] [shelf-7] row 7 leans',
        time: '2024-05-14T10:20:30.250Z',
        severity: 'WARN',
        message: '[shelf-7] row 7 leans',
      },
      {
        line: 'ERROR 05-01 10:20:30 [shelf.py:7] no room',
        time: '2024-05-01T10:20:30.000Z',
        message: '[shelf.py:7] no room',
      },
      { line: 'WARNING May 01 10:20:30.250 row 7 leans', time: '2024-05-01T10:20:30.250Z', severity: 'WARN' },
      { line: 'error [2024-05-01 10:20:30.250 +02:00] no room', time: '2024-05-01T08:20:30.250Z', severity: 'ERROR' },
      { line: 'warn\t2024/05/01 10:20:30\tSYSTEM:\trow 7 leans', severity: 'WARN', message: 'SYSTEM:\trow 7 leans' },
      { line: 'ERROR - 2024-05-01 10:20:30 --> no room', time: '2024-05-01T10:20:30.000Z', message: 'no room' },
      {
        line: 'DEBUG: ShelfPlugin: 2024/05/01 10:20:30 rows were counted',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'rows were counted',
        fields: { logger: 'ShelfPlugin' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'bracketed',
    pattern: pattern`^ *(?:\[(?<program>[A-Z]\w+)\])?\[(?<time>${isoTime})\] ?(?:\[(?<logger>[\w:.]+)\] ?)??\[?(?<level>${anyLevel})(?![\w-])\]?(?: *:(?= ))?[ \t]{0,2}(?:\[(?<name>[a-z_]\w*(?:\.\w+)+)\] )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01 10:20:30.250 +01:00] [INF] [7] Shop.Shelves: all is well',
        time: '2024-05-01T09:20:30.250Z',
        severity: null,
      },
      {
        line: '[2024-05-01 10:20:30.125] [shelves] [warning] row 7 leans',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { logger: 'shelves', level: 'warning' },
      },
      {
        line: '[2024-05-01T10:20:30.125] error: shelfd: row 7 leans',
        severity: 'ERROR',
        message: 'shelfd: row 7 leans',
      },
      { line: '[2024-05-01 10:20:30] error: \tz2m: row 7 leans', severity: 'ERROR', message: 'z2m: row 7 leans' },
      { line: '[2024-05-01 10:20:30] warning  : row 7 leans', severity: 'WARN', message: 'row 7 leans' },
      {
        line: '[2024-05-01 10:20:30.125][shop::shelf::row][ERROR] It fell over.',
        time: '2024-05-01T10:20:30.125Z',
        severity: 'ERROR',
        message: 'It fell over.',
      },
    ],
  },
]
