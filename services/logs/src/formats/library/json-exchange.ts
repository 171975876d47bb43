import type { JsonFormat } from '../format.ts'

/** JSON lines that systems hand on to each other, whatever wrote them first. */
export const jsonExchange: readonly JsonFormat[] = [
  {
    kind: 'json',
    name: 'json-ecs',
    requires: ['@timestamp', 'ecs.version'],
    time: ['@timestamp'],
    level: ['log.level'],
    message: ['message'],
    samples: [
      {
        line: '{"ecs.version":"8.11","message":"gone","log.level":"critical","@timestamp":"2024-05-01T10:20:30.250Z"}',
        time: '2024-05-01T10:20:30.250Z',
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
        line: '{"@timestamp":"2024-05-01T10:20:30.250Z","@version":"1","level":"WARN","message":"slow"}',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'json',
    name: 'json-gelf',
    requires: ['version', 'host', 'short_message'],
    time: ['timestamp'],
    level: ['level'],
    numbers: 'syslog',
    message: ['full_message', 'short_message'],
    samples: [
      {
        line: '{"version":"1.1","host":"attic","short_message":"no room","timestamp":1717634687.123,"level":3,"_shelf":7}',
        time: '2024-06-06T00:44:47.123Z',
        severity: 'ERROR',
        message: 'no room',
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
    name: 'json-opentelemetry-record',
    requires: ['severityNumber', 'body'],
    time: ['timeUnixNano', 'observedTimeUnixNano', 'timestamp'],
    level: ['severityNumber'],
    numbers: 'openTelemetry',
    message: ['body.stringValue', 'body'],
    samples: [
      {
        line: '{"body":{"stringValue":"slow"},"severityText":"WARN","severityNumber":13,"timeUnixNano":"1717634687000000000"}',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'WARN',
        message: 'slow',
      },
    ],
  },
]
