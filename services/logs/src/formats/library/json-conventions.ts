import type { JsonFormat } from '../format.ts'

const someTimes = [
  '@timestamp',
  'timestamp',
  'time',
  'ts',
  'datetime',
  'date',
  't',
  'eventTime',
  'asctime',
  'start_time',
  'StartUTC',
  'created_at',
  'Timestamp',
  'timestamp_ns',
  // VictoriaLogs and Splunk.
  '_time',
  'EdgeStartTimestamp',
]
const someLevels = [
  'level',
  'severity',
  'lvl',
  'log.level',
  'levelname',
  'levelName',
  'loglevel',
  'Level',
  'Severity',
  'eventLogLevel',
  '@fields.lvl',
  'SeverityText',
]
const someMessages = [
  'message',
  'msg',
  'MESSAGE',
  'log',
  'event',
  '@fields.msg',
  'text',
  'error',
  'requestURI',
  'RequestPath',
  '_msg',
  '_raw',
]

/** Conventions of logging libraries, whoever uses them; the first whose keys are all there reads the line. */
export const jsonConventions: readonly JsonFormat[] = [
  {
    kind: 'json',
    name: 'json-bunyan',
    requires: ['v', 'name', 'hostname', 'pid', 'level', 'time'],
    time: ['time'],
    level: ['level'],
    numbers: 'pino',
    message: ['msg'],
    samples: [
      {
        line: '{"name":"app","hostname":"attic","pid":7,"level":50,"msg":"lost","time":"2024-05-01T10:00:00.000Z","v":0}',
        time: '2024-05-01T10:00:00.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-pino',
    requires: ['level', 'time', 'pid', 'hostname'],
    time: ['time'],
    level: ['level'],
    numbers: 'pino',
    message: ['msg'],
    samples: [
      {
        line: '{"level":40,"time":1717532517537,"pid":17,"hostname":"attic","msg":"slow"}',
        time: '2024-06-04T20:21:57.537Z',
        severity: 'WARN',
        message: 'slow',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-clef',
    requires: ['@t'],
    time: ['@t'],
    level: ['@l'],
    message: ['@m', '@mt', '@x'],
    samples: [
      {
        line: '{"@t":"2024-05-01T10:20:30.1234567Z","@mt":"Cannot reach {Host}","@l":"Warning","Host":"attic"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'Cannot reach {Host}',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-serilog',
    requires: ['Timestamp', 'Level', 'MessageTemplate'],
    time: ['Timestamp'],
    level: ['Level'],
    message: ['RenderedMessage', 'MessageTemplate'],
    samples: [
      {
        line: '{"Timestamp":"2024-05-01T10:20:30.1234567+02:00","Level":"Fatal","MessageTemplate":"Host ended","Properties":{}}',
        time: '2024-05-01T08:20:30.123Z',
        severity: 'CRITICAL',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-dotnet',
    requires: ['EventId', 'LogLevel', 'Category', 'Message'],
    time: ['Timestamp'],
    level: ['LogLevel'],
    message: ['Message'],
    samples: [
      {
        line: '{"Timestamp":"2024-05-01T10:20:30Z","EventId":14,"LogLevel":"Error","Category":"Shop.Cart","Message":"no room"}',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-hclog',
    requires: ['@level', '@message', '@timestamp'],
    time: ['@timestamp'],
    level: ['@level'],
    message: ['@message'],
    samples: [
      {
        line: '{"@level":"warn","@message":"no leader","@module":"agent.raft","@timestamp":"2024-05-01T10:20:30.123456Z"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'no leader',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-log4j',
    requires: ['loggerName', 'level', 'message'],
    time: ['timestamp', 'timeMillis', '@timestamp', 'instant.epochSecond'],
    level: ['level'],
    message: ['message'],
    samples: [
      {
        line: '{"instant":{"epochSecond":1717634687,"nanoOfSecond":0},"thread":"main","level":"ERROR","loggerName":"org.example.App","message":"no room"}',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-tracing',
    requires: ['timestamp', 'level', 'fields.message', 'target'],
    time: ['timestamp'],
    level: ['level'],
    message: ['fields.message'],
    samples: [
      {
        line: '{"timestamp":"2024-05-01T10:20:30.123456Z","level":"ERROR","fields":{"message":"no room"},"target":"shop::stock"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-structlog',
    requires: ['event', 'level', 'timestamp'],
    time: ['timestamp'],
    level: ['level'],
    message: ['event'],
    samples: [
      {
        line: '{"event":"login_failed","level":"warning","logger":"shop.users","timestamp":"2024-05-01T10:20:30.123456"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'login_failed',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-python',
    requires: ['asctime', 'levelname', 'message'],
    time: ['asctime'],
    level: ['levelname'],
    message: ['message'],
    samples: [
      {
        line: '{"asctime":"2024-01-31 10:20:30,114","name":"shop","levelname":"ERROR","message":"card was refused"}',
        time: '2024-01-31T10:20:30.114Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-zap',
    requires: ['level', 'ts', 'msg'],
    time: ['ts'],
    level: ['level'],
    message: ['msg'],
    samples: [
      {
        line: '{"level":"error","ts":1717758468.384019,"logger":"http","msg":"no upstream"}',
        time: '2024-06-07T11:07:48.384Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-slog',
    requires: ['time', 'level', 'msg'],
    time: ['time'],
    level: ['level'],
    message: ['msg'],
    samples: [
      {
        line: '{"time":"2024-05-01T10:20:30.123456789Z","level":"ERROR","msg":"no room","shelf":7}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-zerolog',
    requires: ['time', 'level', 'message'],
    time: ['time'],
    level: ['level'],
    message: ['message'],
    samples: [
      {
        line: '{"level":"fatal","error":"EOF","time":1717634687,"message":"cannot start"}',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'CRITICAL',
        message: 'cannot start',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-winston',
    requires: ['level', 'message', 'timestamp'],
    time: ['timestamp'],
    level: ['levelName', 'level'],
    message: ['message'],
    samples: [
      {
        line: '{"level":"warn","message":"queue is long","timestamp":"2024-05-01T10:20:30.123Z"}',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'queue is long',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json',
    requires: [],
    time: someTimes,
    level: someLevels,
    message: someMessages,
    samples: [
      {
        line: '{"msg": "the roof leaks", "lvl": "FATAL", "ts": "2024-05-01T10:20:30.250000Z"}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'CRITICAL',
        message: 'the roof leaks',
      },
      {
        line: '{"_time":"2024-05-01T10:20:30Z","_stream":"{app=\\"attic\\"}","_msg":"no room"}',
        time: '2024-05-01T10:20:30.000Z',
        message: 'no room',
      },
      { line: '{"a":1}', time: null, severity: null },
    ],
  },
]
