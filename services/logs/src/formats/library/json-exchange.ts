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
        line: '{"timeUnixNano":"1717634687000000000","severityNumber":13,"severityText":"WARN","body":{"stringValue":"slow"}}',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'WARN',
        message: 'slow',
      },
    ],
  },
]
