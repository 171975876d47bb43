import type { LogFormat } from '../format.ts'
import { asctime, clock, isoDate, pattern, program, syslogTime, upperLevel, zone } from './pieces.ts'

/** How messages of Cisco begin, which have a clock and a priority of their own. */
const ofCisco = String.raw`[: ]{0,2}(?:\d{1,10}: )?(?:[*.]?${syslogTime}(?: [A-Z]{2,6})?: )?%[A-Z][\w-]{0,60}-[0-7]-\w+:`

/** What programs send to syslog as they would write it to a file of their own. */
const carries = [
  'nginx-error',
  'access-log',
  'apache-error',
  'haproxy',
  'haproxy-error',
  'auditd',
  'postgres',
  'pgbouncer',
  'mysql-error',
  'redis',
  'hclog',
  'python-logger-first',
  'klog',
  'cef',
  'leef',
  'logfmt',
  'ivanti',
  'python-logging',
  'iso-time',
  'go-log',
]

/** The address and firmware that access points and switches of UniFi put before the program. */
const accessPoint = String.raw`(?<device>[\da-f]{12},[\w.+-]{1,80})`

/** Values of structured data escape these three characters; another backslash is one (RFC 5424, 6.3.3). */
const withoutEscapes = (value: string): string => value.replace(/\\(["\\\]])/g, '$1')

/** Syslog as it goes over the wire and as it lies in files, and the journal's ways to print. */
export const syslogFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'syslog-rfc5424',
    // Over TCP the length comes first (RFC 6587). Juniper leaves out the version, Heroku the structured data.
    pattern: pattern`^(?:\d{1,5} )?<(?<priority>\d{1,3})>\d{0,2} (?<time>${isoDate}T${clock}${zone}|-) (?<host>\S+) (?<program>\S+) (?<pid>\S+) (?<id>\S+)(?: (?<data>-|(?:\[(?:[^\]\\"]|\\.|"(?:[^"\\]|\\.)*")*\])+)(?= |$)|) ?\uFEFF?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    carries,
    // Parameters of the structured data, also with Check Point's colons.
    pairs: /(?<=[[ ])([\w.-]{1,100})[=:]"((?:[^"\\]|\\.)*)"/g,
    unescapedPairs: withoutEscapes,
    samples: [
      {
        line: '<134>1 2024-08-24T05:14:15Z gate7 CheckPoint 77 - [action:"Drop"; src:"192.0.2.9"; proto:"6"]',
        severity: null,
        fields: { host: 'gate7', action: 'Drop', src: '192.0.2.9' },
      },
      {
        line: '<34>1 2024-10-11T22:14:15.003Z mail.example.net su 77 ID47 [exampleSDID@32473 iut="3"] su root failed for kim on /dev/pts/8',
        time: '2024-10-11T22:14:15.003Z',
        severity: 'CRITICAL',
        message: 'su root failed for kim on /dev/pts/8',
        fields: { host: 'mail.example.net', program: 'su', pid: '77', id: 'ID47', iut: '3' },
      },
      {
        line: String.raw`<34>1 2024-10-11T22:14:15.003Z attic su 77 - [a@32473 path="C:\\new" note="\"no\" [x\]"] C:\\new`,
        message: String.raw`C:\\new`,
        fields: { path: String.raw`C:\new`, note: '"no" [x]' },
      },
      {
        line: '<165>1 2024-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - all is well',
        time: '2024-08-24T12:14:15.000Z',
        severity: null,
      },
      {
        // What a container's engine sends has a priority of its own for all that a program prints.
        line: '<27>1 2024-08-24T05:14:15Z attic shop 7 - - {"level":"info","msg":"opened","time":"2024-08-24T05:14:14Z","row":7}',
        time: '2024-08-24T05:14:15.000Z',
        severity: null,
        fields: { host: 'attic', program: 'shop', level: 'info', row: '7' },
      },
      {
        line: '<14>1 2024-08-24T05:14:15Z gate agent - - - CEF:0|Example|Gate|9.4|201|Threat blocked|7|src=192.0.2.9',
        severity: 'ERROR',
        message: 'CEF:0|Example|Gate|9.4|201|Threat blocked|7|src=192.0.2.9',
        fields: { program: 'agent', vendor: 'Example', src: '192.0.2.9' },
      },
      { line: '61 <11>1 2024-08-24T05:14:15Z attic app - - - no room', severity: 'ERROR', message: 'no room' },
      {
        line: '<166> 2024-08-24T05:14:15.756+10:00 gate7 - - - - fabric_fill: row 7',
        time: '2024-08-23T19:14:15.756Z',
        severity: null,
        message: 'fabric_fill: row 7',
        fields: { host: 'gate7' },
      },
      {
        line: '122 <158>1 2024-08-24T05:14:15.123456+00:00 host heroku router - at=error code=H12 desc="Request timeout" method=GET status=503',
        time: '2024-08-24T05:14:15.123Z',
        severity: 'ERROR',
        fields: { program: 'heroku', pid: 'router', code: 'H12' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-meraki',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?1 (?<time>\d{10}\.\d{6,9}) (?<host>\S+) (?<program>[a-z_-]+) (?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    pairs: /(?<=^| )(\w+)=('[^']*'|\S+)/g,
    samples: [
      {
        line: '<134>1 1717634687.452200123 gate_7 ip_flow_start src=10.0.0.7 dst=192.0.2.9 protocol=tcp dport=80',
        time: '2024-06-06T00:44:47.452Z',
        severity: null,
        message: 'src=10.0.0.7 dst=192.0.2.9 protocol=tcp dport=80',
        fields: { host: 'gate_7', program: 'ip_flow_start', dst: '192.0.2.9' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-sophos',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?(?<time>\d{4}:\d{2}:\d{2}-\d{2}:\d{2}:\d{2}) (?<host>\S+) ${program}: ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    carries,
    samples: [
      {
        line: '<30>2024:05:01-10:20:30 gate ulogd[77]: id="2001" severity="info" name="Packet dropped" srcip="192.0.2.9"',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        fields: { host: 'gate', program: 'ulogd', srcip: '192.0.2.9' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-iso',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?(?<time>${isoDate}T${clock}${zone}) (?!(?:${upperLevel})\b)(?<host>[\w.:-]+) (?:${accessPoint}: )?${program}: ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    carries,
    samples: [
      {
        line: '2024-10-05T11:47:20.799042+02:00 attic kernel: [869507.505196] usb 1-1: device not accepting address 4, error -71',
        time: '2024-10-05T09:47:20.799Z',
        severity: 'ERROR',
        fields: { host: 'attic', program: 'kernel' },
      },
      {
        line: '2024-08-17T16:55:35+02:00 hall 0a1b2c3d4e5f,U7-Pro-8.0.35+16023: hostapd[77]: ath0: STA left',
        severity: null,
        message: 'ath0: STA left',
        fields: { host: 'hall', device: '0a1b2c3d4e5f,U7-Pro-8.0.35+16023', program: 'hostapd', pid: '77' },
      },
      {
        line: '2024-08-17T16:55:35+02:00 attic sshd[342]: Accepted publickey for kim',
        time: '2024-08-17T14:55:35.000Z',
        severity: null,
        fields: { pid: '342' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-iso-spaced',
    // A process number tells it from an application's own "host program:".
    pattern: pattern`^(?<time>${isoDate} ${clock}${zone}) {1,2}(?<host>[\w.:-]+) (?<program>[^\s:\[\]]+)\[(?<pid>\d+)\]: ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    carries,
    samples: [
      {
        line: '2024-05-01 10:20:30.123456+0200  localhost kernel[0]: (AppleACPI) wake reason: lid',
        time: '2024-05-01T08:20:30.123Z',
        severity: null,
        fields: { program: 'kernel', pid: '0' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-openwrt',
    pattern: pattern`^(?<time>${asctime}) (?<facility>[a-z]{3,8}[0-7]?)\.(?<level>emerg|alert|crit|err|warn|warning|notice|info|debug) ${program}: ?(?<message>.*)`,
    time: 'asctime',
    joins: 'traces',
    carries,
    samples: [
      {
        line: 'Wed May  1 10:20:30 2024 daemon.err dnsmasq[77]: row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { facility: 'daemon', program: 'dnsmasq' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-bsd',
    // Output of FreeBSD's `syslogd -v`.
    pattern: pattern`^(?<time>${syslogTime}) <(?<facility>[a-z]{3,8}[0-7]?)\.(?<level>emerg|alert|crit|err|warning|notice|info|debug)> (?<host>\S+) (?:${program}: ?)?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    carries,
    samples: [
      {
        line: 'May  1 10:20:30 <kern.crit> attic kernel: row 7 fell over',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'row 7 fell over',
        fields: { facility: 'kern', host: 'attic', program: 'kernel' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'journal-full',
    pattern: pattern`^[A-Z][a-z]{2} (?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)? (?:[A-Z]{2,5}|[+-]\d{2,4})) (?<host>[\w.-]+) ${program}: ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    carries,
    samples: [
      {
        line: 'Sat 2024-06-08 15:24:21 CEST attic backup[77]: could not reach the store',
        time: '2024-06-08T13:24:21.000Z',
        severity: 'ERROR',
        fields: { host: 'attic', program: 'backup' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'journal-unix',
    pattern: pattern`^(?<time>\d{10}\.\d{6}) (?<host>[\w.-]+) (?<program>[^\s:\[\]]+)\[(?<pid>\d+)\]: ?(?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    carries,
    samples: [
      {
        line: '1717634687.221373 attic cron[77]: job is done',
        time: '2024-06-06T00:44:47.221Z',
        severity: null,
        message: 'job is done',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'yum',
    pattern: pattern`^(?<time>${syslogTime}) (?<action>Installed|Updated|Erased|Upgraded|Dep-Installed|Reinstalled|Obsoleted): (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'May 01 10:20:30 Installed: bash-5.1.8-9.el9.x86_64',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        fields: { action: 'Installed' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-without-host',
    // A header with a priority may also end at a host and a colon: there the number of a process identifies the program.
    pattern: pattern`^(?:<(?<priority>\d{1,3})>(?=\S+ {1,2}\d{1,2} (?:\d{4} )?[\d:.]+ [\w.\/-]+\[\d+\]: ))?(?<time>${syslogTime}) (?<program>[\w.\/-]+)(?:\[(?<pid>\d+)\]:|:(?! (?:%|\d+: ))) (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    carries,
    samples: [
      {
        line: 'May  1 10:20:30 dnsmasq[77]: query[A] example.net from 10.0.0.2',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'query[A] example.net from 10.0.0.2',
        fields: { program: 'dnsmasq' },
      },
      {
        line: 'May  1 10:20:30 shelfd: nearly full',
        time: '2024-05-01T10:20:30.000Z',
        message: 'nearly full',
        fields: { program: 'shelfd' },
      },
      {
        line: '<131>May  1 10:20:30 filterlog[77]: 5,,,7,em0,match,reject,in,6,0x00,0x00000,1,UDP,17,40,fe80::1,ff02::1: none',
        severity: 'ERROR',
        message: '5,,,7,em0,match,reject,in,6,0x00,0x00000,1,UDP,17,40,fe80::1,ff02::1: none',
        fields: { program: 'filterlog', pid: '77', priority: '131' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-rfc3164',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?(?<time>${syslogTime}) {1,2}(?<host>(?!\[[a-z]+\])\S*[^\s:])(?: \k<host>(?= ))?:? {1,2}(?!${ofCisco})(?:${accessPoint}: )?(?:(?:(?<facility>[a-z]{3,8}[0-7]?)\.)?(?<level>emerg|alert|crit|err|error|warn|warning|notice|info|debug) (?=[^\s:]{1,255}:))?(?:${program}: ?)?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    carries,
    samples: [
      {
        line: 'May  1 10:20:30 attic nginx: 192.0.2.7 - kim [01/May/2024:10:20:30 +0000] "PUT /basket/417 HTTP/2.0" 503 77',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        fields: { program: 'nginx', client: '192.0.2.7', status: '503', host: 'attic' },
      },
      {
        // The proxy writes the year that syslog leaves out.
        line: 'Feb  6 10:20:33 attic haproxy[77]: 192.0.2.14:40022 [06/Feb/2009:10:20:30.655] www app/web2 10/0/30/69/109 503 2750 - - SC-- 1/1/1/1/0 0/0 "GET / HTTP/1.1"',
        time: '2009-02-06T10:20:33.000Z',
        severity: 'ERROR',
        fields: { program: 'haproxy', backend: 'app/web2' },
      },
      {
        line: '<14>May  1 10:20:30 attic agent[7]: level=error msg="no route" code=7',
        severity: 'ERROR',
        message: 'level=error msg="no route" code=7',
        fields: { program: 'agent', pid: '7', code: '7' },
      },
      {
        line: 'May  1 10:20:30 gate CEF: 0|Example|Gate|9.4|201|Threat blocked|9|src=192.0.2.9 msg=it was stopped cnt=7',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        fields: { host: 'gate', product: 'Gate', src: '192.0.2.9', msg: 'it was stopped', cnt: '7' },
      },
      {
        line: '<13>May  1 10:20:30 gate LEEF:2.0|Example|Gate|9.4|201|^|src=192.0.2.9^usrName=kim at home',
        severity: null,
        fields: { host: 'gate', product: 'Gate', src: '192.0.2.9', usrName: 'kim at home' },
      },
      {
        line: 'May  1 10:20:30 attic kubelet[77]: W0501 10:20:30.114077      77 eviction_manager.go:77] memory is scarce',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        fields: { program: 'kubelet', pid: '77' },
      },
      {
        line: '<30>May  1 10:20:30 hall 0a1b2c3d4e5f,USW-24-7.0.50+15613: switch: TRAPMGR: Link Down: 0/7',
        message: 'TRAPMGR: Link Down: 0/7',
        fields: { host: 'hall', program: 'switch' },
      },
      {
        line: 'May  1 10:20:30 attic postgres[77]: [3-1] 2024-05-01 10:20:30.250 UTC [77] kim@shop FATAL:  no more room for connections',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        fields: { program: 'postgres' },
      },
      {
        line: 'May  1 10:20:30 attic sshd[77]: error: maximum authentication attempts exceeded for kim from 192.0.2.7 port 50100 ssh2',
        severity: 'ERROR',
        fields: { program: 'sshd', pid: '77' },
      },
      {
        line: 'May  1 10:20:31 attic shop[7]: {"level":"warn","msg":"nearly full","time":"2024-05-01T08:20:30Z"}',
        time: '2024-05-01T10:20:31.000Z',
        severity: 'WARN',
      },
      {
        line: 'May  1 10:20:30 attic door(lock_unit)[4100]: could not be shut; row=7 rhost=192.0.2.4',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        fields: { host: 'attic', program: 'door(lock_unit)', pid: '4100' },
      },
      {
        line: '<13>Oct 11 22:14:15 mymachine backup: finished',
        time: '2024-10-11T22:14:15.000Z',
        severity: null,
        message: 'finished',
      },
      {
        line: 'May  1 10:20:30 attic attic door[7]: stands open',
        message: 'stands open',
        fields: { host: 'attic', program: 'door', pid: '7' },
      },
      {
        line: 'May  1 10:20:30 attic Shelf Keeper[77]: row 7 leans',
        message: 'row 7 leans',
        fields: { program: 'Shelf Keeper', pid: '77' },
      },
      {
        line: 'May  1 10:20:30 attic shelfd 1.4.1: restart.',
        message: 'restart.',
        fields: { program: 'shelfd 1.4.1' },
      },
      {
        line: 'May 01 10:20:30 attic kdcd[77](info): row 7 stands',
        message: 'row 7 stands',
        fields: { host: 'attic', program: 'kdcd', pid: '77', subject: 'info' },
      },
      {
        line: 'Mar 20 10:20:30 gate Ivanti: 2014-03-20 10:20:31 - ive - [192.0.2.7] kim(Users)[] - Login failed',
        time: '2014-03-20T10:20:30.000Z',
        fields: { program: 'Ivanti', user: 'kim', client: '192.0.2.7' },
      },
      {
        line: 'May  1 10:20:30 attic shelfd[7]: 2023-05-01T10:20:30Z W! [row] row 7 never failed',
        time: '2023-05-01T10:20:30.000Z',
        severity: 'WARN',
      },
      {
        line: 'May  1 10:20:30 attic doord[1] (com.example.door.417): was shut',
        message: 'was shut',
        fields: { program: 'doord', pid: '1', subject: 'com.example.door.417' },
      },
      {
        line: 'May  1 10:20:30 attic  -- kim[77]: LOGIN ON tty2',
        message: 'LOGIN ON tty2',
        fields: { host: 'attic', program: '-- kim' },
      },
      {
        line: 'May  1 10:20:30 gate7: %DOOR: stands open',
        message: 'stands open',
        fields: { host: 'gate7', program: '%DOOR' },
      },
      { line: 'May  1 10:20:30  gate7 mgd[77]: row 7 stands', fields: { host: 'gate7', program: 'mgd', pid: '77' } },
      { line: 'Feb 29 00:00:01 router -- MARK --', time: '2024-02-29T00:00:01.000Z', severity: null },
      {
        line: 'août 19 11:08:37 portable cron[49]: démarré',
        time: '2024-08-19T11:08:37.000Z',
        severity: null,
        message: 'démarré',
      },
      {
        // As F5 writes it, and routers of OpenWrt.
        line: 'May  1 10:20:30 gate7 err tmm[77]: 01010028:3: Row 7 has no members',
        severity: 'ERROR',
        message: '01010028:3: Row 7 has no members',
        fields: { host: 'gate7', program: 'tmm', pid: '77' },
      },
      {
        line: 'May  1 10:20:30 gate7 daemon.notice hostapd: row 7 failed',
        severity: null,
        fields: { host: 'gate7', facility: 'daemon', program: 'hostapd' },
      },
      {
        line: 'Aug 24 05:34:00 CST 1987 attic door[7]: was shut',
        time: '1987-08-24T11:34:00.000Z',
        fields: { host: 'attic', program: 'door' },
      },
      {
        line: 'Aug 24 05:34:00 2023 gate7 door[7]: was shut',
        time: '2023-08-24T05:34:00.000Z',
        fields: { host: 'gate7' },
      },
      { line: 'янв 05 10:11:12 чердак cron[7]: готово', time: '2024-01-05T10:11:12.000Z', message: 'готово' },
      { line: '2月 03 10:11:12 attic cron[7]: done', time: '2024-02-03T10:11:12.000Z', message: 'done' },
    ],
  },
]
