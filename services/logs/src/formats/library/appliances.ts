import type { LogFormat } from '../format.ts'
import { isoTime, pattern, syslogTime } from './pieces.ts'

/** Switches, routers and VPN gateways with their own layouts. */
export const applianceFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'huawei-vrp',
    pattern: pattern`^(?:<\d{1,3}>)?(?<time>[A-Z][a-z]{2} {1,2}\d{1,2} \d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[+-]\d{2}:\d{2})?) (?<host>\S+) %%\d\d(?<module>\w+)/(?<priority>[0-7])/(?<event>\w+)\((?<kind>\w)\)(?:\[\d+\])?: ?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'May  1 2024 10:20:30-08:00 gate7 %%01IFNET/4/LINK_STATE(l)[7]:Port 7 has entered the DOWN state.',
        time: '2024-05-01T18:20:30.000Z',
        severity: 'WARN',
        message: 'Port 7 has entered the DOWN state.',
        fields: { host: 'gate7', module: 'IFNET', event: 'LINK_STATE' },
      },
      {
        line: '<187>May  1 2024 10:20:30 gate7 %%01IFNET/3/IF_DOWN(l): Port 7 is down.',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'comware',
    pattern: pattern`^(?:<\d{1,3}>)?%(?:@\d+)?(?<time>[A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}:\d{3} \d{4}) (?<host>\S+) (?:%%\d\d)?(?<module>\w+)/(?<priority>[0-7])/(?<event>\w+): ?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: '%May  1 10:20:30:250 2024 gate7 IFNET/3/PHY_UPDOWN: Port 7 is down.',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'Port 7 is down.',
        fields: { host: 'gate7', module: 'IFNET' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'idrac',
    contains: 'Severity: ',
    pattern: pattern`^(?:<\d{1,3}>1 )?(?<time>${isoTime}) (?<host>\S+) (?:[^\n]{0,200}? )?Severity: (?<level>\w+), Category: (?<category>[^,\n]+), MessageID: (?<event>[A-Z]+\d+), Message: (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '<165>1 2024-05-01T10:20:30-06:00 attic7 iDRAC9 - PSU0007 - Severity: Critical, Category: System Health, MessageID: PSU0007, Message: There is no input.',
        time: '2024-05-01T16:20:30.000Z',
        severity: 'CRITICAL',
        message: 'There is no input.',
        fields: { host: 'attic7', category: 'System Health', event: 'PSU0007' },
      },
      {
        line: '<166>1 2024-05-01T10:20:30-06:00 attic7 Severity: Informational, Category: Audit, MessageID: USR0007, Message: Successfully logged in using ann',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'procurve',
    pattern: pattern`^(?<level>[IWMDE]) (?<time>\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}) (?<event>\d{5}) (?:[A-Z0-9]+: )?(?<module>[\w-]+): ?(?<message>.*)`,
    time: 'american',
    // M (major) marks failures and restarts alike, so it implies no severity.
    levels: new Map([['m', null]]),
    joins: 'traces',
    samples: [
      {
        line: 'W 05/01/24 10:20:30 00332 FFI: port 7 has many errors',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'port 7 has many errors',
        fields: { event: '00332', module: 'FFI' },
      },
      { line: 'M 05/01/24 10:20:30 00064 system: started', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'netgear',
    contains: 'day, ',
    pattern: pattern`^\[(?<event>[^\]]{1,120})\](?<message>[^\n]{0,400}?),? (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<time>[A-Z][a-z]+ \d{1,2}, ?\d{4} \d{2}:\d{2}:\d{2})$`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: '[Internet connected] IP address: 192.0.2.7, Wednesday, May 01, 2024 10:20:30',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        fields: { event: 'Internet connected' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'globalprotect',
    pattern: pattern`^\([A-Z](?<thread>\d+)\)(?<level>[A-Z][a-z]+) ?\( *(?<line>\d+)\): (?<time>\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}(?:[:.]\d+)?) (?<message>.*)`,
    time: 'american',
    joins: 'untilHeader',
    samples: [
      {
        line: '(T77)Error( 123): 05/01/24 10:20:30:250 the gate is shut',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'the gate is shut',
        fields: { thread: '77', line: '123' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'ivanti',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) - (?<node>[\w.-]+) - \[(?<client>[^\]]*)\] (?:(?<user>\S[^()]{0,120}?)?\((?<realm>[^)]*)\)\[(?<roles>[^\]]*)\] )?- (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 10:20:30 - ive - [192.0.2.7] kim(Users)[] - Login failed using auth server LDAP',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Login failed using auth server LDAP',
        fields: { client: '192.0.2.7', user: 'kim', realm: 'Users' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-mnemonic',
    // Cisco's mnemonic after a program name: Arista and Juniper.
    pattern: pattern`^(?:<\d{1,3}>)?(?<time>${syslogTime}|${isoTime}) {1,2}(?<host>[\w.:-]+) (?<program>[\w/-]+)(?:\[(?<pid>\d+)\])?: (?:\d{1,9}: )?%(?<facility>[A-Z]\w*)-(?<priority>[0-7])-(?<mnemonic>\w+): ?(?<message>.*)`,
    time: 'moment',
    joins: 'traces',
    samples: [
      {
        line: 'May  1 10:20:30 gate7 Stp: 7: %SPANTREE-3-LEAN: row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { host: 'gate7', program: 'Stp', mnemonic: 'LEAN' },
      },
      {
        line: 'May  1 10:20:30.250  gate7 rpd[77]: %DAEMON-4-LEAN: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        fields: { pid: '77' },
      },
    ],
  },
]
