import type { LogFormat } from '../format.ts'
import { asctime, clock, isoDate, isoTime, pattern, quoted, syslogTime, zone } from './pieces.ts'

/** Names, tunnels, file transfer and mail. */
export const networkFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'bind',
    pattern: pattern`^(?<time>\d{2}-[A-Z][a-z]{2}-\d{4} ${clock}) (?:(?<category>[a-z]+(?:-[a-z]+)*): )?(?:(?<level>info|error|warning|notice|critical|debug)(?: \d+)?: )?(?<message>(?:client (?:@0x[0-9a-f]+ )?|zone |view |resolver |transfer |received |managed-keys|lame |network |running|stopping|all zones|timed out|connection |DNS format|REFUSED |checkhints).*)`,
    time: 'clf',
    joins: 'traces',
    samples: [
      {
        line: "01-May-2024 10:20:30.425 security: error: client @0x7fa1 192.0.2.31#4100 (example.com): query 'example.com/ANY/IN' denied",
        time: '2024-05-01T10:20:30.425Z',
        severity: 'ERROR',
        fields: { category: 'security' },
      },
      {
        line: '01-May-2024 10:20:30.425 client @0x7fa1 192.0.2.31#4100 (example.com): query: example.com IN A +',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'unbound',
    pattern: pattern`^\[(?<time>\d{10})\] (?<program>unbound[\w-]*)\[(?<pid>\d+):(?<thread>[0-9a-f]+)\] (?<level>\w+): (?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    samples: [
      {
        line: '[1717634687] unbound[7:0] error: could not open autotrust file',
        time: '2024-06-06T00:44:47.000Z',
        severity: 'ERROR',
        message: 'could not open autotrust file',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'pihole',
    pattern: pattern`^\[(?<time>${isoDate} ${clock}(?: [A-Z]{2,5})?) (?<pid>\d{1,10})(?<thread>[\w\/]{0,20})\] (?:(?<level>[A-Z]+): )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01 10:20:30.123 77M] WARNING: no upstream answers',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'no upstream answers',
        fields: { pid: '77' },
      },
      { line: '[2024-05-01 12:20:30.123 CEST 77/T4] listening', time: '2024-05-01T10:20:30.123Z', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'pihole-ftl',
    // Version 6. The process, or the thread or fork of it, distinguishes it from a PostgreSQL server.
    pattern: pattern`^(?<time>${isoDate} ${clock}${zone}) \[(?<pid>\d{1,10})(?<thread>M|/[TF]\d{1,10})\] (?<level>[A-Z]+): (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 12:20:30.123 CEST [77/T80] WARNING: RATE_LIMIT: row 7 is full',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        message: 'RATE_LIMIT: row 7 is full',
        fields: { pid: '77', thread: '/T80' },
      },
      { line: '2024-05-01 10:20:30.123 UTC [77M] CRIT: no room', severity: 'CRITICAL' },
    ],
  },
  {
    kind: 'pattern',
    name: 'coredns',
    pattern: pattern`^(?:(?<time>${isoTime}) )?\[(?<level>INFO|ERROR)\] (?<client>\S+:\d+) - (?<id>\d+) "(?<message>${quoted})" (?<code>[A-Z]+) `,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '[INFO] 10.0.0.7:50759 - 29008 "A IN example.net. udp 41 false 4096" NXDOMAIN qr,rd,ra 68 0.037s',
        time: null,
        severity: null,
        fields: { code: 'NXDOMAIN', id: '29008' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'openvpn',
    pattern: pattern`^(?<time>${isoDate} ${clock})(?: us=\d+)? (?:(?<peer>(?:[^\s\/]+/)?(?:\[AF_INET6?\])?[\d.]+:\d+(?:/\S+)?) |(?=OpenVPN |TLS[ :_]|TCP|UDP|TUN|VERIFY |AUTH|PUSH|MANAGEMENT|Incoming |Outgoing |Initialization Sequence|Peer Connection|Control Channel|Data Channel|Diffie|library versions|Socket Buffers|SIGTERM|SIGUSR1|net_|MULTI|Listening for incoming|WARNING: |Note: |DEPRECATED OPTION))(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-12-16 10:20:30 kim/192.0.2.30:50100 TLS Error: TLS handshake failed',
        time: '2024-12-16T10:20:30.000Z',
        severity: 'ERROR',
        message: 'TLS Error: TLS handshake failed',
        fields: { peer: 'kim/192.0.2.30:50100' },
      },
      { line: '2024-12-16 10:20:00 Initialization Sequence Completed', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'charon',
    pattern: pattern`^(?<time>${syslogTime}) (?<thread>\d{2})\[(?<subsystem>[A-Z]{3})\d?\] (?:<(?<connection>[^>]+)> )?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'May  1 10:20:30 05[IKE] <office|7> received AUTHENTICATION_FAILED notify error',
        time: '2024-05-01T10:20:30.000Z',
        fields: { subsystem: 'IKE', connection: 'office|7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'vsftpd',
    pattern: pattern`^(?<time>${asctime}) \[pid (?<pid>\d+)\] (?:\[(?<user>[^\]]*)\] )?(?<message>.*)`,
    time: 'asctime',
    joins: 'traces',
    samples: [
      {
        line: 'Mon May  6 10:20:30 2024 [pid 27] [kim] FAIL LOGIN: Client "::ffff:192.0.2.9"',
        time: '2024-05-06T10:20:30.000Z',
        message: 'FAIL LOGIN: Client "::ffff:192.0.2.9"',
        fields: { user: 'kim', pid: '27' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'xferlog',
    pattern: pattern`^(?<time>${asctime}) (?<duration>\d+) (?<client>\S+) (?<bytes>\d+) (?<message>.+) [ab] \S+ (?<direction>[oid]) [arg] (?<user>\S+) \S+ [01] \S+ [ci]$`,
    time: 'asctime',
    joins: 'never',
    samples: [
      {
        line: 'Mon May  6 10:20:30 2024 1 192.0.2.9 2048 /srv/ftp/notes.txt b _ o r kim ftp 0 * c',
        time: '2024-05-06T10:20:30.000Z',
        message: '/srv/ftp/notes.txt',
        fields: { direction: 'o', bytes: '2048' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'proftpd',
    pattern: pattern`^(?<time>${isoDate} ${clock}) (?<host>\S+) (?<program>proftpd)\[(?<pid>\d+)\]:? (?<server>\S+)(?: \((?<client>[^)]*)\))?: (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 10:20:30,123 attic proftpd[49] attic (192.0.2.9[192.0.2.9]): USER kim (Login failed): Incorrect password',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { client: '192.0.2.9[192.0.2.9]' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'exim',
    pattern: pattern`^(?<time>${isoDate} ${clock}(?: [+-]\d{4})?) (?:\[(?<pid>\d+)\] )?(?:(?<id>\w{6}-\w{6,11}-\w{2,4}) (?:(?<direction><=|=>|->|>>|\*\*|==|\(=\)|\*>) )?|(?=H=|SMTP |TLS |no host name|refused |unexpected |Start queue|End queue|exim |ident |rejected |\w+ authenticator ))(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-05-01 10:20:30 1s2AbC-00012D-AB ** kim@example.org R=dnslookup T=remote_smtp: Unrouteable address',
        time: '2024-05-01T10:20:30.000Z',
        fields: { id: '1s2AbC-00012D-AB', direction: '**' },
      },
      {
        line: '2024-05-01 10:20:30 plain_login authenticator failed for (pc) [192.0.2.4]: 535 Incorrect authentication data',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'dovecot',
    pattern: pattern`^(?<time>${syslogTime}) (?<service>[\w-]+)(?:\((?<user>[^)]*)\))?(?:<[^>]*>)*: (?<level>Debug|Info|Warning|Error|Fatal|Panic): (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'May 01 10:20:30 imap(kim)<77><a1b2>: Error: Mailbox INBOX: UIDVALIDITY changed',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Mailbox INBOX: UIDVALIDITY changed',
        fields: { service: 'imap', user: 'kim' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'exchange-protocol',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z),(?:(?<connector>[^,]{0,255}),)?(?<session>[0-9A-F]{16}),(?<sequence>\d+),(?<local>[^,]*:\d+),(?<remote>[^,]*:\d+),(?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-01T10:20:30.118Z,MAIL\\Frontend,08DC1B2E77A0C1D4,9,10.0.0.5:25,192.0.2.12:53801,>,535 5.7.3 Authentication unsuccessful,',
        time: '2024-05-01T10:20:30.118Z',
        fields: { session: '08DC1B2E77A0C1D4', remote: '192.0.2.12:53801' },
      },
      {
        line: '2024-05-01T10:20:31.044Z,00000000000001F7,2,10.0.0.5:143,192.0.2.12:41200,kim,90,20,20,authenticate,PLAIN,,',
        fields: { sequence: '2' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'freeswitch',
    pattern: pattern`^(?:(?<call>[0-9a-f-]{36}) )?(?<time>${isoDate} ${clock})(?: [\d.]+%)? \[(?<level>[A-Z]+)\] (?<file>\w+\.\w+:\d+) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-03-06 10:20:30.412002 98.10% [WARNING] sofia.c:1190 No route for REGISTER from 192.0.2.4',
        time: '2024-03-06T10:20:30.412Z',
        severity: 'WARN',
        fields: { file: 'sofia.c:1190' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'tinyproxy',
    pattern: pattern`^(?<level>CONNECT|INFO|NOTICE|WARNING|ERROR|CRITICAL) +(?<time>${syslogTime}) \[(?<pid>\d+)\]: (?<message>.*)`,
    time: 'syslog',
    levels: new Map([['connect', null]]),
    joins: 'traces',
    samples: [
      {
        line: 'CONNECT   May 01 10:20:30.250 [77]: Connect (file descriptor 7): attic [192.0.2.7]',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
        message: 'Connect (file descriptor 7): attic [192.0.2.7]',
        fields: { pid: '77' },
      },
      { line: 'WARNING   May 01 10:20:30 [77]: row 7 leans', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'stunnel',
    pattern: pattern`^(?<time>\d{4}\.\d{2}\.\d{2} \d{2}:\d{2}:\d{2}) LOG(?<priority>[0-7])\[(?<thread>[^\]]*)\]: (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024.05.01 10:20:30 LOG4[main]: row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { thread: 'main' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'openldap',
    pattern: pattern`^(?<time>[0-9a-f]{8}(?:\.[0-9a-f]{8})?) (?:(?<thread>0x[0-9a-f]+) |(?=conn=|slapd |@\(#\)|daemon: |connection_|=> |<= ))(?<message>.*)`,
    time: 'hexEpoch',
    joins: 'traces',
    samples: [
      {
        line: '66321a2e.0ee6b280 0x7f1c2a3d5700 conn=7 fd=12 ACCEPT from IP=192.0.2.7:51000 (IP=0.0.0.0:389)',
        time: '2024-05-01T10:32:14.250Z',
        severity: null,
        message: 'conn=7 fd=12 ACCEPT from IP=192.0.2.7:51000 (IP=0.0.0.0:389)',
      },
      { line: '66321a2f conn=7 op=0 UNBIND', time: '2024-05-01T10:32:15.000Z', message: 'conn=7 op=0 UNBIND' },
    ],
  },
]
