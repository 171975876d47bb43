import type { LogFormat } from '../format.ts'
import { anyLevel, clock, isoDate, isoTime, pattern, upperLevel } from './pieces.ts'

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
        line: '[2024-02-05 12:34:56] local.EMERGENCY: Unable to create logger {"x":1}',
        time: '2024-02-05T12:34:56.000Z',
        severity: 'CRITICAL',
        fields: { channel: 'local' },
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
        line: 'W, [2024-03-13T09:25:23.245316 #1]  WARN -- : Failed login for kim',
        time: '2024-03-13T09:25:23.245Z',
        severity: 'WARN',
        message: 'Failed login for kim',
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
    name: 'serilog',
    pattern: pattern`^(?<time>${isoDate} ${clock} ?[+-]\d{2}:\d{2}) \[(?<level>VRB|DBG|INF|WRN|ERR|FTL|Verbose|Debug|Information|Warning|Error|Fatal)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-04-23 22:20:30.114 -05:00 [WRN] Failed login attempt. 192.0.2.38',
        time: '2024-04-24T03:20:30.114Z',
        severity: 'WARN',
        message: 'Failed login attempt. 192.0.2.38',
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
        line: "2024-12-17 22:04:36.2|Warn|Auth|Auth-Failure ip 192.0.2.4 username 'kim'",
        time: '2024-12-17T22:04:36.200Z',
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
        line: '[Nest] 7  - 08/02/2024, 7:32:47 PM    WARN [AuthService] Failed login',
        time: '2024-08-02T19:32:47.000Z',
        severity: 'WARN',
        message: 'Failed login',
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
    name: 'homebridge',
    pattern: pattern`^\[(?<time>\d{1,2}/\d{1,2}/\d{4}, \d{1,2}:\d{2}:\d{2}(?: [AP]M)?)\] (?:\[(?<plugin>[^\]]+)\] )?(?<message>.*)`,
    time: 'americanYear',
    joins: 'untilHeader',
    samples: [
      {
        line: '[5/1/2024, 1:20:30 PM] [Blinds] Cannot reach the bridge',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'ERROR',
        fields: { plugin: 'Blinds' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zigbee2mqtt',
    pattern: pattern`^Zigbee2MQTT:(?<level>\w+) +(?<time>${isoDate} ${clock}): (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: 'Zigbee2MQTT:warn  2024-05-01 10:20:30: Device lamp left the network',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'Device lamp left the network',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'esphome',
    pattern: pattern`^\[(?<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?)\]\[(?<level>[EWICDV])\]\[(?<component>[^\]]+)\]: (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: '[10:20:30][W][component:214]: Component api took a long time for an operation',
        time: null,
        severity: 'WARN',
        fields: { component: 'component:214' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'minecraft',
    pattern: pattern`^\[(?:\d{1,2}[A-Z][a-z]{2}\d{4} )?(?<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?)\] \[(?<thread>[^\]]+)/(?<level>[A-Z]+)\](?: \[[^\]]*\])?: (?<message>.*)`,
    joins: 'untilHeader',
    samples: [
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
    name: 'plex',
    pattern: pattern`^(?<time>[A-Z][a-z]{2} \d{1,2}, \d{4} \d{2}:\d{2}:\d{2}(?:[.,:]\d+)?) \[(?<thread>\w+)(?:/(?<request>[^\]]*))?\] (?<level>[A-Z]+) - (?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    samples: [
      {
        line: 'May 01, 2024 10:20:30.123 [140123456] ERROR - Unable to find title for item',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'Unable to find title for item',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'qbittorrent',
    pattern: pattern`^\((?<level>[NIWC])\) (?<time>${isoDate}T${clock}) - (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '(W) 2024-05-01T10:20:30 - File error alert. Torrent: "debian". Reason: no space',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-first',
    pattern: pattern`^(?<level>${upperLevel}):? +\[?(?<time>${isoTime})\]? *(?:- )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERROR    2024-07-16T19:42:45 - Incorrect password from 192.0.2.1',
        time: '2024-07-16T19:42:45.000Z',
        severity: 'ERROR',
        message: 'Incorrect password from 192.0.2.1',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'bracketed',
    pattern: pattern`^ *(?:\[(?<program>[A-Z]\w+)\])?\[(?<time>${isoTime})\] ?(?:\[(?<logger>[\w:.]+)\] ?)??\[?(?<level>${anyLevel})\]? ?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-02-12 12:16:05.729 +01:00] [INF] [79] Server.UserManager: request denied',
        time: '2024-02-12T11:16:05.729Z',
        severity: null,
      },
      {
        line: '[2024-02-03 16:10:11.219][app::api::identity][ERROR] Password is incorrect.',
        time: '2024-02-03T16:10:11.219Z',
        severity: 'ERROR',
        message: 'Password is incorrect.',
      },
    ],
  },
]
