import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { clock, isoDate, pattern, quoted } from './pieces.ts'

const machineLevels: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['er', 'ERROR'],
  ['wa', 'WARN'],
  ...['no', 'in', 'db', 'tr'].map((level) => [level, null] as const),
])

/** Hypervisors and virtual machine managers. */
export const virtualizationFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'vmware',
    pattern: pattern`^(?<time>${isoDate}T${clock}(?:Z|[+-]\d{2}:\d{2})) (?:(?<level>[a-z]+)|\w{2}\((?<priority>\d{1,3})\)) (?<program>[\w.-]+)\[(?<pid>\w+)\]:? +(?:\[(?<origin>Originator@\d+ [^\]]*)\] )?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-06-02T10:20:30.114Z warning vpxd[4100] [Originator@6876 sub=drm opID=77] Host is not responding',
        time: '2024-06-02T10:20:30.114Z',
        severity: 'WARN',
        message: 'Host is not responding',
        fields: { program: 'vpxd' },
      },
      { line: '2024-06-02T10:20:30.114Z Er(3) vmkernel[2097]: disk path is dead', severity: 'ERROR' },
    ],
  },
  {
    kind: 'pattern',
    name: 'pveproxy',
    // Requests of Proxmox: as the common log format, but with the month as a number.
    contains: '] "',
    pattern: pattern`^(?<client>[\da-f.:]+) - (?:-|(?<user>\S+)) \[(?<time>\d{2}/\d{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\] "(?<message>${quoted})" (?<status>\d{3}|-) (?<bytes>\d+|-)`,
    time: ['day', 'month', 'year', 'hour', 'minute', 'second', 'zone'],
    joins: 'never',
    samples: [
      {
        line: '::ffff:192.0.2.7 - root@pam [01/05/2024:12:20:30 +0200] "PUT /api2/json/rows HTTP/1.1" 501 77',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'PUT /api2/json/rows HTTP/1.1',
        fields: { client: '::ffff:192.0.2.7', user: 'root@pam' },
      },
      { line: '192.0.2.7 - - [01/05/2024:12:20:30 +0200] "GET / HTTP/1.1" 401 -', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'libvirt',
    pattern: pattern`^(?<time>${isoDate} ${clock}[+-]\d{4}): (?<thread>\d+): (?<level>debug|info|warning|error) : (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 10:20:30.123+0000: 77: warning : virNetSocketReadWire:1808 : End of file while reading data',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'vmware-machine',
    pattern: pattern`^(?<time>${isoDate}T${clock}(?:Z|[+-]\d{2}:\d{2}))(?:\| (?<thread>[^|]{1,60})\|(?: [^|]{0,60}\|)?)? (?<level>[A-Z]|Er|Wa|No|In|Db|Tr)(?:\d{3}[:+]?|\(\d+\)(?: (?<name>[\w.-]+)(?= ))?) (?<message>.*)`,
    time: 'iso',
    levels: machineLevels,
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01T12:20:30.250+02:00| vcpu-0| W115: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { thread: 'vcpu-0' },
      },
      { line: '2024-05-01T10:20:30.250Z| vmx| | I125: row 7 never failed', severity: null },
      {
        line: '2024-05-01T10:20:30.250Z In(05) vmx row 7 stands',
        time: '2024-05-01T10:20:30.250Z',
        fields: { name: 'vmx' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'xen-console',
    pattern: pattern`^\(XEN\) (?:\[(?<time>${isoDate} ${clock})\] |\[ *(?<uptime>\d+\.\d+)\] )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '(XEN) [2024-05-01 10:20:30.250] row 7 stands',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
        message: 'row 7 stands',
      },
    ],
  },
]
