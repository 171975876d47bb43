import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, pattern, slashTime, syslogTime, zone } from './pieces.ts'

/** What the logging libraries of Go and Rust, and programs written in them, give a person to read. */
export const goFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'klog',
    pattern: pattern`^(?<level>[IWEF])(?<time>\d{4} \d{2}:\d{2}:\d{2}\.\d+) +(?<thread>\d+) (?<file>[^\s:\]]+:\d+)\] (?<message>.*)`,
    time: 'klog',
    joins: 'untilHeader',
    samples: [
      {
        line: 'E0102 15:04:05.678901       1 reflector.go:127] Failed to watch *v1.Pod: unknown',
        time: '2024-01-02T15:04:05.678Z',
        severity: 'ERROR',
        message: 'Failed to watch *v1.Pod: unknown',
        fields: { file: 'reflector.go:127' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'glog',
    pattern: pattern`^(?<level>[IWEF])(?<time>\d{8} \d{2}:\d{2}:\d{2}\.\d+) +(?<thread>\d+) (?<file>[^\s:\]]+:\d+)\] (?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W20240102 15:04:05.678901 77 main.cc:12] low on disk',
        time: '2024-01-02T15:04:05.678Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cockroach',
    pattern: pattern`^(?<level>[IWEF])(?<time>\d{6} ${clock}) (?<thread>\d+) (?<file>[^\s:]+:\d+) (?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    samples: [
      {
        line: 'W240501 10:20:30.123456 77 kv/store.go:312 ⋮ [n1] slow heartbeat took 4.5s',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        fields: { file: 'kv/store.go:312' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zap-console',
    pattern: pattern`^(?<time>${isoDate}[T ]${clock}${zone})\t(?<level>\w+)\t(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.250Z\terror\tshelf/keeper.go:77\tShelf 7 fell over.',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
      },
      {
        line: '2024/05/01 10:20:30.250\tWARN\tdoor\tit stands open',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zerolog-console',
    pattern: pattern`^(?:(?<time>${isoTime})|(?<clock>\d{1,2}:\d{2}(?:AM|PM))) (?<level>TRC|DBG|INF|WRN|ERR|FTL|PNC) (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30Z ERR no tunnel connection error="dial failed" index=0',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
      },
      { line: '10:20AM WRN config not found', time: null, severity: 'WARN', message: 'config not found' },
    ],
  },
  {
    kind: 'pattern',
    name: 'zerolog-dated',
    pattern: pattern`^(?<time>\d{4}/\d{2}/\d{2} \d{1,2}:\d{2}[AP]M) (?<level>TRC|DBG|INF|WRN|ERR|FTL|PNC) (?:(?<file>\S+\.go:\d+) > )?(?<message>.*)`,
    time: ['year', 'month', 'day', 'hour', 'minute', 'optionalSecond'],
    joins: 'untilHeader',
    samples: [
      {
        line: '2024/05/01 01:20PM ERR shop/shelf.go:77 > no room | row=7',
        time: '2024-05-01T13:20:00.000Z',
        severity: 'ERROR',
        message: 'no room | row=7',
        fields: { file: 'shop/shelf.go:77' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'hclog',
    pattern: pattern`^ *(?<time>${isoDate}T${clock}${zone}) \[(?<level>TRACE|DEBUG|INFO|WARN|ERROR)\] +(?<logger>[a-z][\w.-]*(?:\[[^\]]*\])?): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123Z [WARN]  agent.server.raft: heartbeat timeout reached: last-leader=10.0.0.3',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'heartbeat timeout reached: last-leader=10.0.0.3',
        fields: { logger: 'agent.server.raft' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'capnslog',
    pattern: pattern`^(?<time>${isoDate} ${clock}) (?<level>[CEWNIDT]) \| (?<package>[\w./-]+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123456 W | shopserver: read-only request took too long',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'read-only request took too long',
        fields: { package: 'shopserver' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logrus-console',
    pattern: pattern`^(?<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[(?:(?<uptime>\d{4,})|(?<time>${isoTime}))\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERRO[0007] Failed to pull image                          image=shop:1',
        time: null,
        severity: 'ERROR',
        fields: { uptime: '0007' },
      },
      { line: 'FATA[2024-05-01T10:20:30Z] no node', time: '2024-05-01T10:20:30.000Z', severity: 'CRITICAL' },
    ],
  },
  {
    kind: 'pattern',
    name: 'apex-log',
    pattern: pattern`^ *(?<level>[A-Z]{4,5}): \[(?<time>${syslogTime})\] (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: ' WARN: [May  2 10:20:30.114] could not reach panel attempt=3 subsystem=sftp',
        time: '2024-05-02T10:20:30.114Z',
        severity: 'WARN',
        message: 'could not reach panel attempt=3 subsystem=sftp',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'nats-server',
    pattern: pattern`^\[(?<pid>\d+)\] (?<time>${slashTime}) \[(?<level>[A-Z]{3})\] (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[7] 2024/05/01 10:20:30.123456 [WRN] Slow consumer detected',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Slow consumer detected',
        fields: { pid: '7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'geth',
    pattern: pattern`^(?<level>[A-Z]{4,5}) +\[(?<time>\d{2}-\d{2}\|${clock})\] (?<message>.*)`,
    time: 'klog',
    joins: 'traces',
    samples: [
      {
        line: 'WARN [05-01|10:20:30.123] Snapshot extension registration failed   peer=7a11',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'gitea',
    pattern: pattern`^(?<time>${slashTime}) (?:(?<file>[\w.\/-]+\.go:\d+)(?::(?<function>[\w.()*]+))?|(?<logger>[A-Z]\w{2,30})) \[(?<level>[A-Z])\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024/03/01 10:20:30 ...s/context/context.go:200:HTML() [E] Render failed: no such template',
        time: '2024-03-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Render failed: no such template',
        fields: { function: 'HTML()' },
      },
      {
        line: '2024/03/01 10:20:30 HTTPRequest [W] router: slow GET /rows for 192.0.2.7:0, elapsed 3s',
        severity: 'WARN',
        message: 'router: slow GET /rows for 192.0.2.7:0, elapsed 3s',
        fields: { logger: 'HTTPRequest' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'go-slog',
    // The default handler of `log/slog`. A level between two has its distance from the lower one.
    pattern: pattern`^(?<time>${slashTime}) (?:(?<file>[\w.\/-]+\.go:\d+): )?(?<level>DEBUG|INFO|WARN|ERROR)(?:[+-]\d{1,3})? (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    pairs: /(?<= )([A-Za-z_][\w.-]{0,100})="?((?<==")(?:[^"\\]|\\.)*|(?<!=")\S*)/g,
    samples: [
      {
        line: '2024/05/01 10:20:30 INFO shelf was refused once err="no room" row=7',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'shelf was refused once err="no room" row=7',
        fields: { err: 'no room', row: '7' },
      },
      {
        line: '2024/05/01 10:20:30.250000 WARN dnsproxy: row 7 leans',
        severity: 'WARN',
        message: 'dnsproxy: row 7 leans',
      },
      { line: '2024/05/01 10:20:30 shop.go:7: ERROR+2 no room', severity: 'ERROR', fields: { file: 'shop.go:7' } },
    ],
  },
  {
    kind: 'pattern',
    name: 'beego',
    pattern: pattern`^(?<time>${slashTime}|${isoDate} ${clock}) \[(?<level>[DIWECT])\] \[(?<file>[\w.\/-]+:\d+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024/05/01 10:20:30 [W] [service.go:104] login to server failed: dial tcp',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        fields: { file: 'service.go:104' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syncthing',
    pattern: pattern`^\[(?<device>[A-Z2-7]{5}|start|monitor)\] (?<time>${slashTime}) (?<level>[A-Z]+): (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[K7QZD] 2024/05/01 10:20:30 WARNING: Failed to delete temporary file',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        fields: { device: 'K7QZD' },
      },
      { line: '[start] 2024/05/01 10:20:30 INFO: Archiving 7 files failed once', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'env-logger',
    pattern: pattern`^\[(?<time>${isoDate}T${clock}${zone}) (?<level>TRACE|DEBUG|INFO|WARN|ERROR) +(?<logger>[\w:-]+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024-05-01T10:20:30Z ERROR shop::stock] no such shelf',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'no such shelf',
        fields: { logger: 'shop::stock' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zellij',
    pattern: pattern`^(?<level>TRACE|DEBUG|INFO|WARN|ERROR) +\|(?<target>[\w:-]+) *\| (?<time>${isoDate} ${clock}) \[(?<thread>[^\]]*)\] \[(?<file>[^\]]*)\]: (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERROR  |shop_shelf           | 2024-05-01 10:20:30.123 [main      ] [shelf/src/row.rs:7]: It fell over.',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'It fell over.',
        fields: { target: 'shop_shelf', thread: 'main' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'rust-uptime',
    pattern: pattern`^\[ *(?<uptime>\d+\.\d+)s\] +(?<level>TRACE|DEBUG|INFO|WARN|ERROR) (?<message>.*)`,
    joins: 'untilHeader',
    samples: [
      {
        line: '[     0.123456s]  WARN ThreadId(01) shop::shelf: row 7 leans',
        time: null,
        severity: 'WARN',
        message: 'ThreadId(01) shop::shelf: row 7 leans',
        fields: { uptime: '0.123456' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'rust-tracing',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z) +(?<level>TRACE|DEBUG|INFO|WARN|ERROR) (?:[\w{}="., \/-]{1,200}: )?(?<logger>[a-z_]\w*(?:::\w+)+): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.123456Z  WARN sink{component_id=out}: vector::sinks::util: Retrying after error',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Retrying after error',
        fields: { logger: 'vector::sinks::util' },
      },
    ],
  },
]
