import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { pattern, syslogTime } from './pieces.ts'

/** Phones, boards and cameras. */
export const deviceFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'logcat',
    pattern: pattern`^(?<time>(?:\d{4}-)??\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3,6}) +(?<pid>\d+) +(?<tid>\d+) (?<level>[VDIWEFA]) (?<program>[^:]{0,80}): ?(?<message>.*)`,
    time: 'klog',
    joins: 'traces',
    samples: [
      {
        line: '03-17 10:20:30.114  4100  4177 E WindowManager: Window is already focused',
        time: '2024-03-17T10:20:30.114Z',
        severity: 'ERROR',
        message: 'Window is already focused',
        fields: { program: 'WindowManager', tid: '4177' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logcat-brief',
    pattern: pattern`^(?<level>[VDIWEF])/(?<program>[^\s(:]+) *\( *(?<pid>\d+)\): (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: 'W/ActivityManager(  585): Slow operation: 77ms',
        time: null,
        severity: 'WARN',
        fields: { pid: '585' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logcat-studio',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}) +(?<pid>\d+)-(?<tid>\d+)/(?<application>\S+) (?<level>[VDIWEFA])/(?<program>[^:]{0,80}): ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-03-17 10:20:30.114 4100-4177/org.example.shop W/Shelves: row 7 leans',
        time: '2024-03-17T10:20:30.114Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { application: 'org.example.shop', program: 'Shelves' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'logcat-columns',
    // As Android Studio shows it: columns of a set width.
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}) +(?<pid>\d+)-(?<tid>\d+) +(?<program>\S.{0,60}?) +(?<application>[\w.:-]+) +(?<level>[VDIWEFA])  (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-03-17 10:20:30.114  4100-4177  Shelves                 org.example.shop                     E  row 7 leans',
        time: '2024-03-17T10:20:30.114Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { application: 'org.example.shop', program: 'Shelves', pid: '4100' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'esp-idf',
    pattern: pattern`^(?<level>[EWIDV]) \((?<uptime>\d+|\d{2}:\d{2}:\d{2}\.\d{3})\) (?<component>[\w.-]+): ?(?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: 'W (3105) shelf:row 7 leans',
        time: null,
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { uptime: '3105', component: 'shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zephyr',
    pattern: pattern`^\[(?<uptime>\d{2,}:\d{2}:\d{2}\.\d{3},\d{3})\] <(?<level>err|wrn|inf|dbg)> (?<module>[\w.-]+): (?<message>.*)`,
    joins: 'traces',
    samples: [
      {
        line: '[00:00:07.250,000] <wrn> shelf: row 7 leans',
        time: null,
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { module: 'shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'motion',
    pattern: pattern`^\[(?<camera>\d+:\w+)\] \[(?<level>EMG|ALR|CRT|ERR|WRN|NTC|INF|DBG|ALL)\] \[(?<type>[A-Z]{3})\] \[(?<time>${syslogTime})\] (?:(?<function>\w+): )?(?<message>.*)`,
    time: 'syslog',
    levels: new Map<string, Severity | null>([
      ...['emg', 'alr', 'crt'].map((level) => [level, 'CRITICAL'] as const),
      ...['ntc', 'all'].map((level) => [level, null] as const),
    ]),
    joins: 'traces',
    samples: [
      {
        line: '[1:ml1] [ERR] [VID] [May 01 10:20:30] row_open: no room',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
        fields: { camera: '1:ml1', function: 'row_open' },
      },
      { line: '[0:motion] [ALR] [ALL] [May 01 10:20:30] it fell', severity: 'CRITICAL', message: 'it fell' },
    ],
  },
]
