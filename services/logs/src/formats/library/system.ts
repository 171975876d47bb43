import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { asctime, clfTime, isoDate, pattern } from './pieces.ts'

/** Kernels and system services: display, printing, supervision, system call traces. */
export const systemFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'bluegene',
    pattern: pattern`^(?<alert>\S+) (?<instant>\d{10}) \d{4}\.\d{2}\.\d{2} (?<node>\S+) (?<time>\d{4}-\d{2}-\d{2}-\d{2}\.\d{2}\.\d{2}\.\d+) \S+ (?<kind>\S+) (?<component>\S+) (?<level>\S+) (?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '- 1714559430 2024.05.01 R11-M0-N3-C:J04-U01 2024-05-01-10.30.30.250000 R11-M0-N3-C:J04-U01 RAS APP FATAL no room on the torus',
        time: '2024-05-01T10:30:30.250Z',
        severity: 'CRITICAL',
        message: 'no room on the torus',
      },
      {
        // The clock of the machine, seven hours behind, has the fraction; the seconds since 1970 are the moment.
        line: '- 1714559430 2024.05.01 R11-M0-N3-C:J04-U01 2024-05-01-03.30.30.250000 R11-M0-N3-C:J04-U01 RAS APP INFO the torus is whole',
        time: '2024-05-01T10:30:30.250Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'xorg',
    pattern: pattern`^\[ *(?<uptime>\d+\.\d{3})\] \((?:(?<level>[EWID])[EWID]|[*=+!?N-]{2})\) (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: '[    12.345] (EE) Failed to load module "modesetting"',
        time: null,
        severity: 'ERROR',
        message: 'Failed to load module "modesetting"',
        fields: { uptime: '12.345' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'kernel',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?\[(?: *(?<uptime>\d{1,9}\.\d{6})|(?<time>${asctime}))\] (?!\[)(?<message>.*)`,
    time: 'asctime',
    joins: 'traces',
    samples: [
      {
        line: '[   12.345678] usb 1-1: device descriptor read/64, error -71',
        time: null,
        message: 'usb 1-1: device descriptor read/64, error -71',
        fields: { uptime: '12.345678' },
      },
      {
        line: '[Wed May  1 10:20:30 2024] ext4 on sda1: mounted filesystem',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
      },
      { line: '<3>[    1.000001] disk is gone', severity: 'ERROR' },
    ],
  },
  {
    kind: 'pattern',
    name: 'macos-unified',
    pattern: pattern`^(?<time>${isoDate} \d{2}:\d{2}:\d{2}\.\d{6}[+-]\d{4}) (?<thread>0x[0-9a-f]+) +(?<level>\w+) +(?<activity>0x[0-9a-f]+) +(?<pid>\d+) +\d+ +(?<program>[^:\s][^:]{0,255}): (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.123456+0200 0x1f3a     Error       0x0                  123    0    backupd: (Disks) no volume',
        time: '2024-05-01T08:20:30.123Z',
        severity: 'ERROR',
        message: '(Disks) no volume',
        fields: { program: 'backupd', pid: '123' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cups',
    pattern: pattern`^(?<level>[XACEWNIDd]) \[(?<time>${clfTime})\] (?<message>.*)`,
    time: 'clf',
    // An emergency.
    levels: new Map([['x', 'CRITICAL']]),
    joins: 'traces',
    samples: [
      {
        line: 'E [01/May/2024:10:20:30 +0200] [Job 7] Stopping job because of a filter',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'ERROR',
      },
      { line: 'X [01/May/2024:10:20:30 +0200] Unable to open listen socket', severity: 'CRITICAL' },
    ],
  },
  {
    kind: 'pattern',
    name: 'nagios',
    // Icinga and Naemon, too. What is not of a state (a command, a start) has no level.
    pattern: pattern`^\[(?<time>\d{10})\] (?<kind>[A-Z][A-Z ]+): (?:(?<host>[^;]+);(?:(?<service>[^;]+);)?(?<level>OK|WARNING|CRITICAL|UNKNOWN|UP|DOWN|UNREACHABLE);(?<certainty>HARD|SOFT);(?<attempt>\d+);)?(?<message>.*)`,
    time: 'epoch',
    levels: new Map([
      ['up', null],
      ['unknown', 'WARN'],
      ['unreachable', 'ERROR'],
      ['down', 'CRITICAL'],
    ]),
    joins: 'traces',
    samples: [
      {
        line: '[1714558830] SERVICE ALERT: attic;HTTP;CRITICAL;HARD;3;CRITICAL - Socket timeout after 10 seconds',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'CRITICAL - Socket timeout after 10 seconds',
        fields: { kind: 'SERVICE ALERT', host: 'attic', service: 'HTTP' },
      },
      {
        line: '[1714558830] HOST ALERT: attic;DOWN;SOFT;1;PING CRITICAL - Packet loss = 100%',
        severity: 'CRITICAL',
        fields: { host: 'attic' },
      },
      { line: '[1714558830] CURRENT SERVICE STATE: attic;SSH;OK;HARD;1;SSH OK', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'tai64n',
    pattern: pattern`^(?<time>@4[0-9a-f]{15,23}) (?<message>.*)`,
    time: 'tai64n',
    joins: 'traces',
    samples: [{ line: '@4000000066321e380bebc200 door: opened twice', time: '2024-05-01T10:49:18.200Z' }],
  },
  {
    kind: 'pattern',
    name: 'strace',
    pattern: pattern`^(?:(?<pid>\d+) +)?(?<time>1\d{9}\.\d{6}) (?<message>(?:\w+\(|<\.\.\. |---|\+\+\+).*)`,
    time: 'epoch',
    joins: 'traces',
    samples: [
      {
        line: '10000 1717048351.000541 brk(NULL)                 = 0x55b1f2e94000 <0.000009>',
        time: '2024-05-30T05:52:31.000Z',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'macos-compact',
    pattern: pattern`^(?<time>${isoDate} \d{2}:\d{2}:\d{2}\.\d{3}) (?<level>Df|In|Db|Er|Ft|A|E|F|I|D) {1,2}(?<program>[^\[\]]{1,120})\[(?<pid>\d+):(?<thread>[0-9a-f]+)\] (?:\((?<library>[^)]*)\) )?(?:\[(?<subsystem>[^\]]*)\] )?(?<message>.*)`,
    time: 'iso',
    // F is a fault, A an activity.
    levels: new Map<string, Severity | null>([
      ['ft', 'CRITICAL'],
      ['f', 'CRITICAL'],
      ['er', 'ERROR'],
      ...['a', 'df', 'in', 'db'].map((level) => [level, null] as const),
    ]),
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 10:20:30.250 E  doord[77:9b1] [com.example.door:lock] no room',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'no room',
        fields: { program: 'doord', pid: '77', subsystem: 'com.example.door:lock' },
      },
      {
        line: '2024-05-01 10:20:30.250 Df kernel[0:2a7] (Door) row 7 never failed',
        severity: null,
        fields: { library: 'Door' },
      },
    ],
  },
]
