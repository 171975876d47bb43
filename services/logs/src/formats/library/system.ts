import type { LogFormat } from '../format.ts'
import { asctime, clfTime, clock, isoDate, isoTime, pattern } from './pieces.ts'
import { withoutEntities } from './xml-entities.ts'

/** Kernels, operating systems, packages and the machines below. */
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
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?\[(?: *(?<uptime>\d+\.\d{6})|(?<time>${asctime}))\] (?!\[)(?<message>.*)`,
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
    name: 'windows-servicing',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}), (?<level>Info|Warning|Error|Perf) +(?:(?<component>[A-Z]{2}\w*|[A-Z]\w+(?= {2})) +)?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [
      {
        line: '2024-05-01 10:20:30, Error                 CBS    Failed to open package [HRESULT = 0x800f0805]',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'Failed to open package [HRESULT = 0x800f0805]',
        fields: { component: 'CBS' },
      },
      { line: '2024-05-01 10:20:30, Info    Shelf was opened', severity: null, message: 'Shelf was opened' },
    ],
  },
  {
    kind: 'pattern',
    name: 'windows-event-csv',
    // What the Event Viewer saves, with its heading. A message has lines of its own.
    pattern: pattern`^\uFEFF?(?:(?:Level|Keywords),Date and Time,Source,Event ID,Task Category|(?<level>Critical|Error|Warning|Information|Verbose|Audit (?:Success|Failure)),(?<time>\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2} [AP]M),(?<provider>[^,]*),(?<event>\d+),(?<category>"[^"]*"|[^,]*)(?:,"?(?<message>.*?)"?)?)$`,
    time: 'monthFirstDate',
    levels: new Map([
      ['audit success', null],
      ['audit failure', 'WARN'],
    ]),
    joins: 'untilHeader',
    samples: [
      {
        line: 'Error,5/1/2024 1:20:30 PM,Shelf Keeper,7031,None,"The shelf keeper ended, again."',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'ERROR',
        message: 'The shelf keeper ended, again.',
        fields: { provider: 'Shelf Keeper', event: '7031' },
      },
      { line: 'Information,5/1/2024 9:20:30 AM,Shelf Keeper,6,(63),"It is an error to close', severity: null },
      { line: 'Level,Date and Time,Source,Event ID,Task Category', time: null, severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'windows-dhcp',
    pattern: pattern`^(?<event>\d{2}),(?<time>\d{2}/\d{2}/\d{2},\d{2}:\d{2}:\d{2}),(?<message>[^,]*),(?<address>[^,]*),(?<host>[^,]*),(?<mac>[^,]*)`,
    time: 'monthFirstDate',
    joins: 'never',
    samples: [
      {
        line: '31,05/01/24,10:20:30,DNS Update Failed,192.0.2.43,attic.example.net,,,0,6,,,,,,,,,10054',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'DNS Update Failed',
        fields: { event: '31', address: '192.0.2.43', host: 'attic.example.net' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'windows-event-xml',
    // Each part is looked for by itself: what stands between them differs by who wrote the event out.
    pattern: pattern`^<Event [^>]*>\s*<System>(?=.*?<Provider Name=["'](?<provider>[^"']*)|)(?=.*?<EventID[^>]*>(?<event>\d+)<)(?=.*?<Level>(?<level>[123])<|)(?=.*?<EventRecordID>(?<record>\d+)<|)(?=.*?<Channel>(?<channel>[^<]*)<|)(?=.*?<Computer>(?<host>[^<]*)<|)(?=.*?SystemTime=["'](?<time>[^"']+)["'])(?:.*?<Message>(?<message>[^<]*)</Message>|)`,
    time: 'iso',
    levels: new Map([
      ['1', 'CRITICAL'],
      ['2', 'ERROR'],
      ['3', 'WARN'],
    ]),
    joins: 'traces',
    unescaped: withoutEntities,
    pairs: /<Data Name=["']([^"']+)["']\s*>([^<]*)<\/Data>/g,
    samples: [
      {
        line: `<Event xmlns="x"><System><Provider Name="S"/><EventID>4625</EventID><TimeCreated SystemTime='2024-11-30T09:00:01.5Z'/></System></Event>`,
        time: '2024-11-30T09:00:01.500Z',
        fields: { event: '4625' },
      },
      {
        line: '<Event xmlns="x"><System> <Provider Name="Shelf-Keeper" Guid="{7}" /> <EventID>417</EventID> <Level>3</Level> <TimeCreated SystemTime="2024-05-01T10:20:30.2500000Z" /> <EventRecordID>77</EventRecordID> <Channel>Security</Channel> <Computer>attic.example.net</Computer> </System><EventData> <Data Name="TargetUserName">kim</Data> <Data Name="Reason">-</Data> <Data Name="Shelf">&lt;7&gt;</Data> </EventData></Event>',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'TargetUserName=kim Shelf=<7>',
        fields: {
          provider: 'Shelf-Keeper',
          event: '417',
          record: '77',
          channel: 'Security',
          host: 'attic.example.net',
          TargetUserName: 'kim',
        },
      },
      {
        line: '<Event xmlns="x"><System><Provider Name="S"/><EventID>1</EventID><TimeCreated SystemTime="2024-05-01T10:20:30Z"/></System><EventData><Data Name="Row">7</Data></EventData><RenderingInfo><Message>The door stands open.</Message></RenderingInfo></Event>',
        time: '2024-05-01T10:20:30.000Z',
        message: 'The door stands open.',
        fields: { Row: '7' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'vmware',
    pattern: pattern`^(?<time>${isoDate}T${clock}Z) (?:(?<level>[a-z]+)|\w{2}\((?<priority>\d{1,3})\)) (?<program>[\w.-]+)\[(?<pid>\w+)\]:? +(?:\[(?<origin>Originator@\d+ [^\]]*)\] )?(?<message>.*)`,
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
    name: 'cups',
    pattern: pattern`^(?<level>[XACEWNIDd]) \[(?<time>${clfTime})\] (?<message>.*)`,
    time: 'clf',
    joins: 'traces',
    samples: [
      {
        line: 'E [01/May/2024:10:20:30 +0200] [Job 7] Stopping job because of a filter',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'ERROR',
      },
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
    name: 'dpkg',
    pattern: pattern`^(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (?<message>(?:startup (?:archives|packages) |status [a-z-]+ \S+:|(?:install|upgrade|remove|purge|configure|trigproc|disappear) \S+:|conffile /).*)`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '2024-05-01 10:20:30 status half-configured libc6:amd64 2.39-0',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'status half-configured libc6:amd64 2.39-0',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'apt-history',
    pattern: pattern`^Start-Date: (?<time>\d{4}-\d{2}-\d{2} +\d{2}:\d{2}:\d{2})(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    samples: [{ line: 'Start-Date: 2024-05-01  10:20:30', time: '2024-05-01T10:20:30.000Z', severity: null }],
  },
  {
    kind: 'pattern',
    name: 'pacman',
    pattern: pattern`^\[(?<time>${isoDate}[T ]\d{2}:\d{2}(?::\d{2})?(?:[+-]\d{4})?)\] \[(?<program>ALPM(?:-SCRIPTLET)?|PACMAN)\] (?:(?<level>warning|error): )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '[2024-05-01T10:20:30+0200] [ALPM] warning: /etc/fstab installed as /etc/fstab.pacnew',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'WARN',
        fields: { program: 'ALPM' },
      },
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
]
