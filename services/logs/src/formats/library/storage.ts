import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, numericDate, pattern } from './pieces.ts'

/** 0 is an error, 1 a critical error, 2 a warning; higher numbers are notices and debugging. */
const beegfsLevels: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['0', 'ERROR'],
  ['1', 'CRITICAL'],
  ['2', 'WARN'],
  ...['3', '4', '5'].map((level) => [level, null] as const),
])
const netbackupLevels: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['32', 'CRITICAL'],
  ['16', 'ERROR'],
  ['8', 'WARN'],
  ...['1', '2', '4'].map((level) => [level, null] as const),
])

/** File systems, file servers and backups. */
export const storageFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'ceph',
    pattern: pattern`^(?<time>${isoDate}[T ]${clock}(?:[+-]\d{4})?) (?<thread>[0-9a-f]{8,16}) +(?<verbosity>-?\d{1,2}) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01T10:20:30.123+0000 7f12a4c1e700 -1 osd.4 1207 heartbeat_check: no reply from 10.0.0.3',
        time: '2024-05-01T10:20:30.123Z',
        fields: { verbosity: '-1' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'glusterfs',
    pattern: pattern`^\[(?<time>${isoTime})\] (?<level>[TDINWEAC]) (?:\[MSGID: (?<id>\d+)\] )?\[(?<file>[\w.-]+:\d+:\w+)\] (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01 10:20:30.123456 +0000] W [MSGID: 114031] [client-rpc.c:2644:lookup] 0-shared: remote operation failed',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        fields: { id: '114031' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'samba',
    pattern: pattern`^\[(?<time>${isoDate} ${clock}), +(?<verbosity>\d{1,2})(?:, [^\]]*)?\] (?<file>\S+:\d+)(?:\((?<function>\w+)\))?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    announces: true,
    samples: [
      {
        line: '[2024/05/01 10:20:30.123456,  0, pid=77] ../../source3/smbd/server.c:123(main)',
        time: '2024-05-01T10:20:30.123Z',
        fields: { function: 'main', verbosity: '0' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'bacula',
    // Unless it is set up otherwise it writes neither year nor seconds.
    pattern: pattern`^(?<time>\d{2}-[A-Z][a-z]{2}(?:-\d{4})? \d{2}:\d{2}(?::\d{2})?) (?<program>[\w.-]+) JobId (?<job>\d+): (?:(?<level>Fatal error|Error|Warning|Info): )?(?<message>.*)`,
    time: ['day', 'monthName', 'optionalYear', 'hour', 'minute', 'optionalSecond'],
    levels: new Map([['fatal error', 'CRITICAL']]),
    joins: 'untilHeader',
    samples: [
      {
        line: '01-May 10:20 attic-dir JobId 417: Fatal error: Network error with FD',
        time: '2024-05-01T10:20:00.000Z',
        severity: 'CRITICAL',
        message: 'Network error with FD',
        fields: { program: 'attic-dir', job: '417' },
      },
      {
        line: '01-May-2024 10:20:30 attic-sd JobId 417: Warning: mount.c:208 Open device failed',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'beegfs',
    pattern: pattern`^\((?<level>[0-5])\) (?<time>[A-Z][a-z]{2}\d{2} \d{2}:\d{2}:\d{2}) (?<thread>\S+) \[(?<component>[^\]]+)\] >> (?<message>.*)`,
    time: ['monthName', 'day', 'hour', 'minute', 'second'],
    levels: beegfsLevels,
    joins: 'traces',
    samples: [
      {
        line: '(2) May01 10:20:30 Worker7 [Shelf] >> row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { thread: 'Worker7', component: 'Shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'duplicati',
    pattern: pattern`^(?<time>${isoDate} ${clock} [+-]\d{2}) - \[(?<level>Error|Warning|Information|Profiling|Verbose|Retry|DryRun)-(?<logger>[\w.+-]+)\]: (?<message>.*)`,
    time: 'iso',
    levels: new Map([['retry', 'WARN']]),
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30 +02 - [Warning-Shop.Shelf-Row]: row 7 failed to stand',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 failed to stand',
        fields: { logger: 'Shop.Shelf-Row' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'netbackup',
    pattern: pattern`^(?<clock>\d{2}:\d{2}:\d{2}\.\d{3}) \[(?<pid>[\d.]+)\] <(?<level>\d{1,2})> (?<program>\w+):? (?<message>.*)`,
    levels: netbackupLevels,
    joins: 'traces',
    samples: [
      {
        line: '10:20:30.250 [77] <16> shelfd put: no room',
        time: null,
        severity: 'ERROR',
        message: 'put: no room',
        fields: { pid: '77', program: 'shelfd' },
      },
      { line: '10:20:30.250 [77.78] <2> shelfd put: row 7 never failed', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'ibm-message',
    // The last letter of a message's code is its severity.
    pattern: pattern`^(?<time>${numericDate}) +(?<code>[A-Z]{3,5}\d{4,5}(?<level>[IWESD])) (?<message>.*)`,
    time: 'numericDate',
    levels: new Map([['s', 'CRITICAL']]),
    joins: 'untilHeader',
    samples: [
      {
        line: '05/14/2024 10:20:30 ANR0482W Session 7 never failed',
        time: '2024-05-14T10:20:30.000Z',
        severity: 'WARN',
        message: 'Session 7 never failed',
        fields: { code: 'ANR0482W' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'rsync-daemon',
    pattern: pattern`^(?<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}) \[(?<pid>\d+)\] (?!\[)(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024/05/01 10:20:30 [77] rsync to shelf from attic (192.0.2.7)',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'rsync to shelf from attic (192.0.2.7)',
        fields: { pid: '77' },
      },
    ],
  },
]
