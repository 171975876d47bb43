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
]

/** Conventions of JSON lines; the first whose keys are all there reads the line. */
export const jsonFormats: readonly JsonFormat[] = [
  {
    kind: 'json',
    name: 'json-journald',
    requires: ['__REALTIME_TIMESTAMP'],
    time: ['__REALTIME_TIMESTAMP', '_SOURCE_REALTIME_TIMESTAMP'],
    level: ['PRIORITY'],
    numbers: 'syslog',
    message: ['MESSAGE'],
    samples: [
      {
        line: '{"__REALTIME_TIMESTAMP":"1717860261221373","PRIORITY":"3","_HOSTNAME":"attic","MESSAGE":"disk is gone"}',
        time: '2024-06-08T15:24:21.221Z',
        severity: 'ERROR',
        message: 'disk is gone',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-docker',
    requires: ['log', 'stream', 'time'],
    time: ['time'],
    level: [],
    message: ['log'],
    wraps: true,
    samples: [
      {
        line: '{"log":"level=warn msg=\\"low\\" left=3\\n","stream":"stderr","time":"2024-05-01T10:00:00.5Z"}',
        time: '2024-05-01T10:00:00.500Z',
        severity: 'WARN',
      },
    ],
  },
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
    name: 'json-mongodb',
    requires: ['t.$date', 's', 'c'],
    time: ['t.$date'],
    level: ['s'],
    message: ['msg'],
    samples: [
      {
        line: '{"t":{"$date":"2024-07-28T18:00:00.903+02:00"},"s":"W","c":"STORAGE","id":22220,"msg":"Detected unclean shutdown"}',
        time: '2024-07-28T16:00:00.903Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-ecs',
    requires: ['@timestamp', 'ecs.version'],
    time: ['@timestamp'],
    level: ['log.level'],
    message: ['message'],
    samples: [
      {
        line: '{"@timestamp":"2024-01-13T09:58:13.634Z","log.level":"critical","message":"gone","ecs.version":"1.6.0"}',
        time: '2024-01-13T09:58:13.634Z',
        severity: 'CRITICAL',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-logstash',
    requires: ['@timestamp', '@version'],
    time: ['@timestamp'],
    level: ['level', 'log.level', 'severity'],
    message: ['message'],
    samples: [
      {
        line: '{"@timestamp":"2024-01-13T09:58:13.634Z","@version":"1","level":"WARN","message":"slow"}',
        time: '2024-01-13T09:58:13.634Z',
        severity: 'WARN',
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
    name: 'json-nextcloud',
    requires: ['reqId', 'level', 'time', 'app'],
    time: ['time'],
    level: ['level'],
    numbers: 'nextcloud',
    message: ['message'],
    samples: [
      {
        line: '{"reqId":"a1","level":3,"time":"2024-10-01T02:39:09+00:00","app":"files","message":"cannot scan"}',
        time: '2024-10-01T02:39:09.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-kubernetes-audit',
    requires: ['kind', 'auditID', 'requestReceivedTimestamp'],
    time: ['requestReceivedTimestamp', 'stageTimestamp'],
    level: [],
    message: ['requestURI'],
    samples: [
      {
        line: '{"kind":"Event","auditID":"57a7","requestURI":"/api/v1/pods","requestReceivedTimestamp":"2024-05-01T10:00:00.123456Z"}',
        time: '2024-05-01T10:00:00.123Z',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-suricata',
    requires: ['event_type', 'timestamp', 'flow_id'],
    time: ['timestamp'],
    level: [],
    message: ['alert.signature', 'event_type'],
    samples: [
      {
        line: '{"timestamp":"2024-07-10T23:50:05.533101+0000","flow_id":12,"event_type":"alert","alert":{"signature":"ET SCAN"}}',
        time: '2024-07-10T23:50:05.533Z',
        message: 'ET SCAN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-opentelemetry',
    requires: ['resourceLogs'],
    time: [
      'resourceLogs.0.scopeLogs.0.logRecords.0.timeUnixNano',
      'resourceLogs.0.scopeLogs.0.logRecords.0.observedTimeUnixNano',
    ],
    level: ['resourceLogs.0.scopeLogs.0.logRecords.0.severityNumber'],
    numbers: 'openTelemetry',
    message: ['resourceLogs.0.scopeLogs.0.logRecords.0.body.stringValue'],
    samples: [
      {
        line: '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1717000008000000000","severityNumber":17,"body":{"stringValue":"no money"}}]}]}]}',
        time: '2024-05-29T16:26:48.000Z',
        severity: 'ERROR',
        message: 'no money',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-traefik-access',
    requires: ['ClientAddr', 'RequestMethod', 'DownstreamStatus'],
    time: ['StartUTC', 'time'],
    level: ['level'],
    message: ['RequestPath'],
    samples: [
      {
        line: '{"ClientAddr":"192.0.2.1:4","DownstreamStatus":404,"RequestMethod":"GET","RequestPath":"/x","StartUTC":"2024-05-01T10:00:00.1Z","level":"info"}',
        time: '2024-05-01T10:00:00.100Z',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-cloudtrail',
    requires: ['eventTime', 'eventSource', 'eventVersion'],
    time: ['eventTime'],
    level: [],
    message: ['eventName'],
    samples: [
      {
        line: '{"eventVersion":"1.08","eventTime":"2024-04-11T15:24:00Z","eventSource":"signin","eventName":"ConsoleLogin"}',
        time: '2024-04-11T15:24:00.000Z',
        message: 'ConsoleLogin',
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
        line: '{"ts": "2024-09-06T22:01:49.124817Z", "lvl": "FATAL", "msg": "looking bad"}',
        time: '2024-09-06T22:01:49.124Z',
        severity: 'CRITICAL',
        message: 'looking bad',
      },
      { line: '{"a":1}', time: null, severity: null },
    ],
  },
]
