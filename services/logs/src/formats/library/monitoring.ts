import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { clock, isoDate, pattern, slashTime } from './pieces.ts'

/** Python's numeric levels. */
const pythonNumbers: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['50', 'CRITICAL'],
  ['40', 'ERROR'],
  ['30', 'WARN'],
  ...['5', '10', '15', '20'].map((level) => [level, null] as const),
])

/** Monitoring systems, and lists of events. */
export const monitoringFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'zabbix',
    pattern: pattern`^ *(?<pid>\d+):(?<time>\d{8}:\d{6}\.\d{3}) (?<message>.*)`,
    time: 'compact',
    joins: 'traces',
    samples: [
      {
        line: '   77:20240501:102030.250 cannot reach host [attic]',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'cannot reach host [attic]',
        fields: { pid: '77' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'checkmk',
    pattern: pattern`^(?<time>${isoDate} ${clock}) \[(?<level>5|[1-5]0|15)\] \[(?<logger>[\w.]+)(?: (?<pid>\d+))?\] (?<message>.*)`,
    time: 'iso',
    levels: pythonNumbers,
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30,250 [30] [shop.shelf 77] row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { logger: 'shop.shelf', pid: '77' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'wazuh',
    pattern: pattern`^(?<time>${slashTime}) (?<program>[a-z][\w-]*(?::[\w-]+)?)(?:\[(?<pid>\d+)\] (?<file>\S+:\d+) at (?<function>\w+)\(\))?: (?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL): (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024/05/01 10:20:30 shelfd: WARNING: (1408): row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: '(1408): row 7 leans',
        fields: { program: 'shelfd' },
      },
      {
        line: '2024/05/01 10:20:30 shelf-agentd[77] row.c:152 at lean(): ERROR: (1216): no room',
        severity: 'ERROR',
        fields: { pid: '77', file: 'row.c:152' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ossec-alert',
    pattern: pattern`^\*\* Alert (?<time>\d{10})\.(?<id>\d+):? (?:mail +)?- (?<groups>[\w,.-]*)(?<message>.*)`,
    time: 'epoch',
    joins: 'untilBlank',
    samples: [
      {
        line: '** Alert 1714558830.2978: - syslog,sshd,authentication_failed,',
        time: '2024-05-01T10:20:30.000Z',
        fields: { id: '2978', groups: 'syslog,sshd,authentication_failed,' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'kubernetes-events',
    needsMajority: true,
    // Output of `kubectl get events`, which has ages rather than times.
    pattern: pattern`^(?:(?<namespace>[a-z0-9-]+) +)?(?<age>(?:\d+[dhms]){1,2}(?: \(x\d+ over \w+\))?) +(?<level>Normal|Warning) +(?<reason>[A-Z]\w+) +(?<object>[a-z][^\s/]*/\S+) +(?<message>.*)`,
    levels: new Map([['normal', null]]),
    joins: 'never',
    samples: [
      {
        line: '5m          Warning   Leaning     pod/shelf-7     failed to stand',
        time: null,
        severity: 'WARN',
        message: 'failed to stand',
        fields: { reason: 'Leaning', object: 'pod/shelf-7' },
      },
      {
        line: 'shop   7m3s   Normal   Scheduled   pod/shelf-7   never failed',
        severity: null,
        fields: { namespace: 'shop' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ipmi-events',
    pattern: pattern`^ *(?<id>[0-9a-f]{1,4}) \| (?<time>\d{2}/\d{2}/(?:\d{4}|\d{2}) \| \d{2}:\d{2}:\d{2}) ?(?:[A-Z]{3,4} )?\| (?<sensor>[^|]{1,80}?) *\| (?<message>.*)`,
    time: ['month', 'day', 'anyYear', 'hour', 'minute', 'second'],
    joins: 'never',
    samples: [
      {
        line: '   7 | 05/01/2024 | 10:20:30 | Fan #0x30 | Failure detected () | Asserted',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Failure detected () | Asserted',
        fields: { sensor: 'Fan #0x30' },
      },
    ],
  },
]
