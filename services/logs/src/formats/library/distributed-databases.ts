import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, pattern } from './pieces.ts'
import { withoutEntities } from './xml-entities.ts'

/** Severities of FoundationDB's trace events: 30 is a warning, 40 an error. */
const foundationLevels: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['40', 'ERROR'],
  ['30', 'WARN'],
  ...['5', '10', '20'].map((level) => [level, null] as const),
])

/** QuestDB's A is an advisory; in other programs it is an alert. */
const questLevels: ReadonlyMap<string, Severity | null> = new Map([['a', null]])

/** Distributed, in-memory and commercial databases. */
export const distributedDatabaseFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'seastar',
    pattern: pattern`^(?<level>TRACE|DEBUG|INFO|WARN|ERROR) +(?<time>${isoDate} ${clock}) (?:seastar - )?\[shard {1,3}(?<shard>[^\]\s]+)\] (?<logger>[\w-]+) - (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: 'WARN  2024-05-01 10:20:30,250 [shard 3:strm] gossip - row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { shard: '3:strm', logger: 'gossip' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'couchbase',
    pattern: pattern`^\[(?<logger>\w+):(?<level>debug|info|warn|error|critical),(?<time>${isoDate}T${clock}(?:Z|[+-]\d{2}:\d{2})),(?<process>[^\]]*)\](?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[shelf:warn,2024-05-01T12:20:30.250+02:00,ns_1@attic:<0.7.0>:row:lean:7]row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { logger: 'shelf' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'foundationdb',
    pattern: pattern`^<Event Severity="(?<level>\d+)"(?: ErrorKind="\w*")? Time="(?<time>\d{1,10}\.\d+)"(?: DateTime="[^"]*")? Type="(?<message>[^"]*)"`,
    time: 'epoch',
    levels: foundationLevels,
    joins: 'never',
    pairs: /\b(\w+)="([^"]*)"/g,
    unescaped: withoutEntities,
    samples: [
      {
        line: '<Event Severity="40" Time="1714558830.250000" DateTime="2024-05-01T10:20:30Z" Type="NoRoom" ID="7" Machine="192.0.2.7:4500" />',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'NoRoom',
        fields: { Machine: '192.0.2.7:4500' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'aerospike',
    pattern: pattern`^(?<time>[A-Z][a-z]{2} \d{2} \d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)? [A-Z]{3,4}): (?<level>[A-Z]+) \((?<module>[^)]*)\): (?:\((?<file>[^)]*)\) )?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'May 01 2024 10:20:30 GMT: WARNING (rw): (row.c:7) row 7 failed to stand',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 failed to stand',
        fields: { module: 'rw', file: 'row.c:7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'greenplum-csv',
    pattern: pattern`^(?<time>${isoDate} ${clock} [A-Z]{2,5}),(?:"(?<user>[^"]*)")?,(?:"(?<database>[^"]*)")?,p(?<pid>\d+),(?<thread>th-?\d+),(?:[^,]{0,200},){1,12}?(?:"(?<level>LOG|DEBUG\d|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC)"),"(?<code>\w{5})","(?<message>(?:[^"]|"")*)"`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30.250000 UTC,"kim","shop",p77,th-7,"[local]",,2024-05-01 10:20:00 UTC,0,con7,cmd2,seg-1,,dx1,,sx1,"ERROR","42P01","no such row",,,,,,"select 7",15,,"row.c",7,',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'no such row',
        fields: { user: 'kim', pid: '77', code: '42P01' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'sap-hana',
    pattern: pattern`^\[(?<thread>\d+)\]\{(?<connection>-?\d+)\}\[(?<transaction>[\d/-]+)\] (?<time>${isoTime}) (?<level>[diwef]) (?<component>\w+) +(?<file>\S+\(\d+\)) : (?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '[77]{200417}[22/-1] 2024-05-01 10:20:30.250000 e Shelf            row.cpp(00077) : no room',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'no room',
        fields: { component: 'Shelf', connection: '200417' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'questdb',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) (?<level>[DIAEC]) (?<logger>[a-z][\w.$-]*) (?<message>.*)`,
    time: 'iso',
    levels: questLevels,
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01T10:20:30.250000Z C i.q.c.Shelf could not lift [row=7]',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'CRITICAL',
        message: 'could not lift [row=7]',
        fields: { logger: 'i.q.c.Shelf' },
      },
      { line: '2024-05-01T10:20:30.250000Z A server-main the shelf is open', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'sybase',
    pattern: pattern`^\d{2}:\d{4}:\d{5}:(?<process>\d{5}):(?<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}\.\d{2}) (?<source>kernel|server) +(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '00:0006:00000:00077:2024/05/01 10:20:30.25 server  Error: 7, Severity: 17, State: 4',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'Error: 7, Severity: 17, State: 4',
        fields: { source: 'server' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'firebird',
    needsMajority: true,
    pattern: pattern`^(?<host>[\w.-]+)(?: \((?<side>Server|Client)\))?(?:\t| {2,})(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2} \d{4})(?<message>)$`,
    time: 'asctime',
    joins: 'untilHeader',
    announces: true,
    samples: [{ line: 'attic\tWed May 01 10:20:30 2024', time: '2024-05-01T10:20:30.000Z', fields: { host: 'attic' } }],
  },
]
