import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { clock, isoDate, isoTime, pattern, syslogTime } from './pieces.ts'

/** CEF's severity: 0 to 3 low, 4 to 6 medium, 7 and 8 high, 9 and 10 very high. */
const cefLevels: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ...['0', '1', '2', '3'].map((level) => [level, null] as const),
  ...['4', '5', '6'].map((level) => [level, 'WARN'] as const),
  ...['7', '8'].map((level) => [level, 'ERROR'] as const),
  ...['9', '10', 'very-high'].map((level) => [level, 'CRITICAL'] as const),
])
/** LEEF's severity: 1 to 10, the worst last. */
const leefLevels: ReadonlyMap<string, Severity | null> = new Map([...cefLevels, ['critical', 'CRITICAL']])
/** Of rules of Snort and Suricata: 1 is the worst. */
export const alertPriorities: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['1', 'ERROR'],
  ['2', 'WARN'],
  ...['0', '3', '4'].map((priority) => [priority, null] as const),
])
/** A device by its name or its address; a number alone is that of a sequence. */
const ciscoName = String.raw`(?=[\w.:-]{0,254}[A-Za-z.:])[\w.:-]{1,255}?`
const cefText = String.raw`(?:[^|\\]|\\.)*`
const cefEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r' }
const withoutBackslashes = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => cefEscapes[character] ?? character)

/** Audit trails, firewalls and appliances. */
export const securityFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'auditd',
    // The kernel writes it behind a word of its own where no daemon takes it.
    pattern: pattern`^(?:audit: )?(?:node=(?<host>\S+) )?type=(?<type>\w+) (?:msg=)?audit\((?<time>\d+\.\d+):(?<serial>\d+)\): ?(?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    samples: [
      {
        line: 'node=attic type=AVC msg=audit(1714558830.250:4101): avc:  denied  { read } for  pid=77 comm="door"',
        time: '2024-05-01T10:20:30.250Z',
        fields: { type: 'AVC', host: 'attic' },
      },
      {
        line: 'audit: type=1400 audit(1714558830.250:4102): apparmor="DENIED" operation="open" name="/etc/door"',
        time: '2024-05-01T10:20:30.250Z',
        fields: { type: '1400', serial: '4102' },
      },
      {
        line: 'type=SYSCALL msg=audit(1714558830.250:4100): arch=c00000b7 syscall=221 success=no',
        time: '2024-05-01T10:20:30.250Z',
        fields: { type: 'SYSCALL' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'auditd-interpreted',
    // As `ausearch -i` writes it.
    pattern: pattern`^(?:node=(?<host>\S+) )?type=(?<type>\w+) msg=audit\((?<time>\d{1,2}/\d{1,2}/\d{2,4} \d{2}:\d{2}:\d{2}\.\d+):(?<serial>\d+)\) ?: ?(?<message>.*)`,
    time: 'monthFirstDate',
    joins: 'traces',
    samples: [
      {
        line: 'type=EXECVE msg=audit(05/01/2024 10:20:30.250:4103) : argc=2 a0=curl a1=http://192.0.2.9/x.sh',
        time: '2024-05-01T10:20:30.250Z',
        fields: { type: 'EXECVE' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'citrix-adc',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>) *(?<time>\d{2}/\d{2}/\d{4}:\d{2}:\d{2}:\d{2})(?: (?:GMT|[A-Z]{3,4}))? +(?<host>\S+) (?<engine>\d+-PPE-\d+) : (?:(?<partition>[a-z]\w*) )?(?<module>[A-Z]+) (?<event>\w+) (?<id>\d+) \d+ : +(?<message>.*)`,
    time: 'monthFirstDate',
    joins: 'traces',
    samples: [
      {
        line: '<134> 05/01/2024:10:20:30 GMT gate 0-PPE-0 : default SSLVPN LOGIN 417 0 : Context kim@192.0.2.9 - User kim',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'Context kim@192.0.2.9 - User kim',
        fields: { host: 'gate', module: 'SSLVPN', event: 'LOGIN', id: '417' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cef',
    // ArcSight Common Event Format; what is before it is for syslog to read.
    pattern: pattern`^(?:CEF: ?)?(?<version>[01])\|(?<vendor>${cefText})\|(?<product>${cefText})\|(?<product_version>${cefText})\|(?<event>${cefText})\|(?<name>${cefText})\|(?:(?<level>\d{1,2}|Low|Medium|High|Very-High|Unknown)|(?<risk>[\w-]+))\|(?:(?=(?:.*? )?(?:rt|start|end|\w+UtcTime|\w+utcTime)=(?<time>\d{10}(?:\d{3})?\b|${isoTime}|${syslogTime}(?: [A-Z]{3,4}\b)?))|)(?<message>.*)`,
    time: 'moment',
    levels: cefLevels,
    joins: 'traces',
    unescaped: withoutBackslashes,
    // A value goes up to the next key, and may have blanks.
    pairs: /(?<=[| ])([\w.[\]-]{1,100})=((?:[^\\]|\\.)*?)(?= [\w.[\]-]{1,100}=|$)/g,
    samples: [
      {
        line: 'CEF:0|Example|Gate|2.1|100|Worm stopped|High|src=10.0.0.1 dst=192.0.2.2 spt=1232',
        time: null,
        severity: 'ERROR',
        message: 'src=10.0.0.1 dst=192.0.2.2 spt=1232',
        fields: { vendor: 'Example', name: 'Worm stopped' },
      },
      {
        line: 'CEF:0|Example|Gate|2.1|101|Door opened|3|src=10.0.0.1 rt=1714558830250 msg=by kim',
        time: '2024-05-01T10:20:30.250Z',
        message: 'src=10.0.0.1 rt=1714558830250 msg=by kim',
        fields: { src: '10.0.0.1', msg: 'by kim' },
      },
      {
        line: String.raw`CEF:0|Example|Gate\|way|2.1|7|Worm found|9|cs1=a\=b cs1Label=rule`,
        severity: 'CRITICAL',
        fields: { cs1: 'a=b', cs1Label: 'rule' },
      },
      {
        line: 'CEF:0|Example|Gate|2.1|102|Door shut|3|start=May 01 2024 10:20:30 cnt=7',
        time: '2024-05-01T10:20:30.000Z',
      },
      {
        line: 'CEF:0|Example|Gate|2.1|102|Door shut|3|shopUtcTime=2024-05-01T10:20:30.250Z',
        time: '2024-05-01T10:20:30.250Z',
      },
      { line: 'CEF: 0|Example|Gate|2.1|544|Door opened|1|who=kim', severity: null, fields: { product: 'Gate' } },
    ],
  },
  {
    kind: 'pattern',
    name: 'leef',
    pattern: pattern`^(?:LEEF: ?)?(?<version>[12]\.0)\|(?<vendor>[^|]*)\|(?<product>[^|]*)\|(?<product_version>[^|]*)\|(?<event>[^|]*)\|(?:(?=(?:.*?[|\t^])?devTime=(?<time>\d{10}(?:\d{3})?\b|${isoTime}|${syslogTime}(?: [A-Z]{3,4}\b)?))|)(?:(?=(?:.*?[|\t^])?sev=(?<level>\d{1,2}|[A-Z][a-z-]+)\b)|)(?<message>.*)`,
    time: 'moment',
    levels: leefLevels,
    joins: 'traces',
    // Parted by tabs, or in version 2.0 by what stands before the first.
    pairs: /(?<=[|\t^])([\w.-]{1,100})=([^\t^]*)/g,
    samples: [
      {
        line: 'LEEF:1.0|Example|Mailer|4.0|15345|src=192.0.2.0\tdst=10.0.0.2\tsev=5',
        time: null,
        severity: 'WARN',
        fields: { product: 'Mailer', event: '15345', dst: '10.0.0.2', sev: '5' },
      },
      {
        line: 'LEEF:1.0|Example|Mailer|4.0|15346|devTime=May 01 2024 10:20:30\tdevTimeFormat=MMM dd yyyy HH:mm:ss\tsev=8',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        fields: { sev: '8' },
      },
      {
        line: 'LEEF:2.0|Example|Gate|9.4|201|^|devTime=1714558830250^sev=1^usrName=kim',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
        fields: { usrName: 'kim' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cisco-asa',
    pattern: pattern`^(?:<\d{1,3}>)?(?:(?<time>${syslogTime}(?: [A-Z]{3,4}\b)?|${isoDate}T${clock}Z)(?: (?<host>[\w.-]+))? ?:? )?%(?<product>ASA|FTD|PIX|FWSM)-(?:\w+-)?(?<priority>[0-7])-(?<id>\d{6}): (?<message>.*)`,
    time: 'moment',
    joins: 'traces',
    samples: [
      {
        line: '<164>May 01 2024 10:20:30: %ASA-4-106023: Deny tcp src outside:192.0.2.9/40 dst inside:10.0.0.2/22',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        fields: { id: '106023' },
      },
      {
        line: 'May 01 10:20:30 gate: %ASA-3-710003: TCP access denied by ACL',
        severity: 'ERROR',
        message: 'TCP access denied by ACL',
        fields: { host: 'gate' },
      },
      {
        line: 'May 01 2024 10:20:30 CEST: %ASA-4-106023: Deny udp src outside:192.0.2.9/40 dst inside:10.0.0.2/53',
        time: '2024-05-01T08:20:30.000Z',
      },
      { line: '%ASA-6-302014: Teardown TCP connection 77', time: null, severity: null },
      {
        line: '<162>2024-05-01T10:20:30Z gate %ASA-2-106001: Inbound TCP connection denied from 192.0.2.9/40',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        fields: { host: 'gate', id: '106001' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cisco-ios',
    // Before the device's own clock come its name, numbers in a sequence, and what a relay adds. Without a clock it counts from its start.
    pattern: pattern`^(?:<\d{1,3}>)?(?:\d+: )?(?:${syslogTime} (?<relay>[\w.:-]+) (?=\S+: ))?(?:: )?(?:(?<host>${ciscoName}):? )?(?:\d+: )?(?:[*.]?(?<time>(?:\d{4} )?${syslogTime}(?: [A-Z]{2,6}\b)?)|(?<uptime>(?:\d+[ywdh]){2}|\d{2}:\d{2}:\d{2}))(?: (?<device>[\w.-]+))?:? %(?<facility>[A-Z][\w-]*?)-(?<priority>[0-7])-(?<mnemonic>\w+): ?(?<message>.*)`,
    time: 'cisco',
    joins: 'traces',
    samples: [
      {
        line: '000123: *May  1 10:20:30.123: %LINK-3-UPDOWN: Interface Serial0/1, changed state to down',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { facility: 'LINK', mnemonic: 'UPDOWN' },
      },
      { line: 'May  1 10:20:30 CEST: %SYS-5-RESTART: System restarted', time: '2024-05-01T08:20:30.000Z' },
      {
        line: 'May  1 10:20:30 gate7: %LINK-3-UPDOWN: Interface Serial0/1, changed state to down',
        severity: 'ERROR',
        fields: { device: 'gate7', facility: 'LINK' },
      },
      { line: '*May  1 10:20:30: %SYS-5-CONFIG_I: Configured from console by vty0', severity: null },
      {
        line: '<187>417: May  1 10:20:31 192.0.2.1 gate7: 4100: May  1 2023 10:20:30.250 UTC: %LINK-3-UPDOWN: Interface Gi0/1, changed state to down',
        time: '2023-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'Interface Gi0/1, changed state to down',
        fields: { relay: '192.0.2.1', host: 'gate7' },
      },
      {
        line: '<187>417: 2001:db8::7 4100: May  1 2023 10:20:30.250 UTC: %LINK-3-UPDOWN: Interface Gi0/1, changed state to down',
        time: '2023-05-01T10:20:30.250Z',
        fields: { host: '2001:db8::7' },
      },
      {
        line: '<165>417: gate7: 004100: 2y10w: %SYS-5-CONFIG_I: Configured from console by vty0',
        time: null,
        severity: null,
        fields: { host: 'gate7', uptime: '2y10w' },
      },
      {
        line: '2024 May  1 10:20:30 gate7 %ETHPORT-2-IF_DOWN: Interface Ethernet1/7 is down',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        fields: { device: 'gate7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mikrotik',
    pattern: pattern`^(?<time>${isoTime}) (?:(?<host>[\w.:-]+) )?(?<topics>[a-z0-9-]+(?:,[a-z0-9-]+){0,9}),(?<level>critical|error|warning|info|debug)(?:,[a-z0-9-]+){0,9} (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-03-19T10:20:30.114000+01:00 10.0.0.1 system,error,critical the fan of shelf 7 stands still',
        time: '2024-03-19T09:20:30.114Z',
        severity: 'CRITICAL',
        message: 'the fan of shelf 7 stands still',
        fields: { host: '10.0.0.1', topics: 'system,error' },
      },
      { line: '2024-03-19 10:20:30 system,info,account user kim logged in', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'mikrotik-file',
    // Files of RouterOS up to version 6.
    pattern: pattern`^(?<time>[a-z]{3}/\d{2}/\d{4} \d{2}:\d{2}:\d{2}) (?<topics>[a-z0-9-]+(?:,[a-z0-9-]+){0,9}),(?<level>critical|error|warning|info|debug)(?:,[a-z0-9-]+){0,9} (?<message>.*)`,
    time: ['monthName', 'day', 'year', 'hour', 'minute', 'second'],
    joins: 'traces',
    samples: [
      {
        line: 'mar/19/2024 10:20:30 system,error,critical the fan of shelf 7 stands still',
        time: '2024-03-19T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'the fan of shelf 7 stands still',
        fields: { topics: 'system,error' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'palo-alto',
    pattern: pattern`^(?:<\d{1,3}>)?(?:(?:(?<instant>${isoTime})|${syslogTime}|\S+) (?<host>\S+) )?\d,(?<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}),(?<serial>\w+),(?<type>[A-Z]{4,}),(?<subtype>[\w-]*),(?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-07-06T10:20:30+02:00 gate.example.net 1,2024/07/06 10:20:30,001801000123,THREAT,vulnerability,2561,2024/07/06 10:20:30,192.0.2.2,10.0.0.3',
        time: '2024-07-06T08:20:30.000Z',
        fields: { type: 'THREAT', subtype: 'vulnerability', host: 'gate.example.net' },
      },
      {
        line: '<14>Jul  6 10:20:30 gate.example.net 1,2024/07/06 10:20:30,001801000123,TRAFFIC,end,2561,2024/07/06 10:20:30,192.0.2.2,10.0.0.3',
        time: '2024-07-06T10:20:30.000Z',
        fields: { type: 'TRAFFIC', host: 'gate.example.net' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'proxmox-firewall',
    pattern: pattern`^(?<guest>\d+) (?<verbosity>[0-7]) (?<chain>[\w+-]+) (?<time>\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}) (?<message>.*)`,
    time: 'clf',
    joins: 'traces',
    samples: [
      {
        line: '104 1 tap104i0-IN 01/May/2024:10:20:30 +0200 DROP: IN=fwbr104i0 SRC=192.0.2.34 DST=10.0.0.2 PROTO=TCP DPT=22',
        time: '2024-05-01T08:20:30.000Z',
        fields: { chain: 'tap104i0-IN', guest: '104' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'windows-firewall',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (?<action>ALLOW|DROP|OPEN|CLOSE|OPEN-INBOUND|INFO-EVENTS-LOST) (?<protocol>\w+) (?<source>\S+) (?<destination>\S+) (?<message>.*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-01 10:20:30 DROP TCP 192.0.2.16 10.0.0.21 50641 3389 52 S 12 0 64240 - - - RECEIVE',
        time: '2024-05-01T10:20:30.000Z',
        fields: { action: 'DROP', protocol: 'TCP' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'suricata',
    pattern: pattern`^\[(?<pid>\d+) - (?<thread>[^\]]+)\] (?<time>${isoDate} ${clock}) (?<level>Emergency|Alert|Critical|Error|Warning|Notice|Info|Perf|Config|Debug): (?<module>[\w-]+): (?<message>.*)`,
    time: 'iso',
    levels: new Map([['perf', null]]),
    joins: 'traces',
    samples: [
      {
        line: '[7 - W#01-eth0] 2024-05-01 10:20:30 Warning: af-packet: row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { pid: '7', thread: 'W#01-eth0', module: 'af-packet' },
      },
      { line: '[7 - Suricata-Main] 2024-05-01 10:20:30 Perf: detect: 7 rows failed once', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'suricata-old',
    // Versions up to 6. The day comes first.
    pattern: pattern`^(?:\[(?<thread>\d+)\] )?(?<time>\d{1,2}/\d{1,2}/\d{4} -- \d{2}:\d{2}:\d{2}) -(?: \((?<file>[^)]+)\))? <(?<level>\w+)>(?: \((?<function>[^)]+)\))? --? (?<message>.*)`,
    time: ['day', 'month', 'year', 'hour', 'minute', 'second'],
    levels: new Map([['perf', null]]),
    joins: 'traces',
    samples: [
      {
        line: '1/5/2024 -- 10:20:30 - <Error> - [ERRCODE: SC_ERR_ROW(41)] - no room',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: '[ERRCODE: SC_ERR_ROW(41)] - no room',
      },
      {
        line: '[77] 1/5/2024 -- 10:20:30 - (shelf.c:7) <Notice> (Lean) -- row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'row 7 leans',
        fields: { thread: '77', file: 'shelf.c:7', function: 'Lean' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'suricata-fast',
    pattern: pattern`^(?<time>\d{2}/\d{2}/(?:\d{4}|\d{2})-\d{2}:\d{2}:\d{2}\.\d+) +(?:\[(?<action>w?Drop)\] )?\[\*\*\] \[(?<signature>\d+:\d+:\d+)\] (?:(?=.*?\[Priority: (?<level>\d)\])|)(?<message>.*)`,
    time: ['month', 'day', 'anyYear', 'hour', 'minute', 'second'],
    levels: alertPriorities,
    joins: 'never',
    samples: [
      {
        line: '05/01/24-10:20:30.123456  [**] [1:408:5] ICMP Echo Reply [**] [Classification: Misc activity] [Priority: 3] {ICMP} 192.0.2.7 -> 10.0.0.2',
        time: '2024-05-01T10:20:30.123Z',
        severity: null,
      },
      {
        line: '05/01/2024-10:20:30.123456  [**] [1:2100498:7] EXAMPLE ATTACK_RESPONSE [**] [Priority: 2] {TCP} 192.0.2.7:80 -> 10.0.0.2:4000',
        time: '2024-05-01T10:20:30.123Z',
        fields: { signature: '1:2100498:7' },
      },
      {
        line: '05/01/2024-10:20:30.123456  [Drop] [**] [1:2402000:7] EXAMPLE listed source [**] [Classification: Misc Attack] [Priority: 2] {TCP} 192.0.2.7:80 -> 10.0.0.2:22',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'WARN',
        fields: { action: 'Drop', signature: '1:2402000:7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'snort-fast',
    pattern: pattern`^(?<time>\d{2}/\d{2}-\d{2}:\d{2}:\d{2}\.\d+) +(?:\[(?<action>w?Drop)\] )?\[\*\*\] \[(?<signature>\d+:\d+:\d+)\] (?:(?=.*?\[Priority: (?<level>\d)\])|)(?<message>.*)`,
    time: 'klog',
    levels: alertPriorities,
    joins: 'never',
    samples: [
      {
        line: '05/01-10:20:30.123456  [**] [1:2012811:2] Query to a .test domain [**] [Classification: Bad Traffic] [Priority: 1] {UDP} 192.0.2.7:1029 -> 10.0.0.2:53',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        fields: { signature: '1:2012811:2' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zeek',
    pattern: pattern`^(?<time>\d{10}\.\d{6})\t(?<uid>[CF]\w{10,20}|-)\t(?<client>[\d.:a-f]+)\t(?<client_port>\d+)\t(?<server>[\d.:a-f]+)\t(?<port>\d+)\t(?<message>.*)`,
    time: 'epoch',
    joins: 'never',
    samples: [
      {
        line: '1717634687.452200\tCq8ZtR3mWk1LxVb9Ya\t10.0.0.76\t52026\t192.0.2.119\t80\ttcp\tssh\t-\t-',
        time: '2024-06-06T00:44:47.452Z',
        fields: { client: '10.0.0.76', port: '80' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'tcpdump',
    pattern: pattern`^(?:(?<time>${isoDate} ${clock})|(?<clock>\d{2}:\d{2}:\d{2}\.\d{6})) (?:(?<interface>[\w.-]+) +(?:In|Out|[BMP]) +)?(?<protocol>IP6?|ARP)[, ](?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '10:20:30.123456 IP 192.0.2.1.443 > 10.0.0.2.50000: Flags [S.], seq 1, ack 2, length 0',
        time: null,
        severity: null,
        fields: { protocol: 'IP' },
      },
      { line: '2024-05-01 10:20:30.123456 ARP, Request who-has 10.0.0.1', time: '2024-05-01T10:20:30.123Z' },
    ],
  },
  {
    kind: 'pattern',
    name: 'asterisk',
    pattern: pattern`^\[(?<time>${syslogTime})\] (?<level>[A-Z]+)\[(?<pid>\d+)\](?:\[[^\]]*\])?:? (?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: '[Dec 21 12:57:01] WARNING[77]: res_pjsip.c:114 x: no route',
        time: '2024-12-21T12:57:01.000Z',
        severity: 'WARN',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'zoneminder',
    pattern: pattern`^(?<time>\d{2}/\d{2}/\d{2},? \d{1,2}:\d{2}:\d{2}(?:[ \u202f][AP]M)?(?: [A-Z]{2,5})?\.\d+) (?<program>\S+?)\[(?<pid>\d+)\]\.(?<level>\w+) (?=\[)(?<message>.*)`,
    time: 'american',
    joins: 'traces',
    samples: [
      {
        line: '05/01/24, 1:20:30 PM CEST.114000 web_php[77].WAR [192.0.2.1] [Token is old]',
        time: '2024-05-01T11:20:30.000Z',
        message: '[192.0.2.1] [Token is old]',
      },
      {
        line: '01/25/24 16:08:02.393003 web_php[118770].ERR [192.0.2.1] [Could not retrieve user]',
        time: '2024-01-25T16:08:02.393Z',
        severity: 'ERROR',
      },
    ],
  },
]
