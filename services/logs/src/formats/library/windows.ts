import type { Severity } from '../../entries/severity-code.ts'
import type { LogFormat } from '../format.ts'
import { isoTime, pattern } from './pieces.ts'
import { withoutEntities } from './xml-entities.ts'

/** Entry types of Configuration Manager. */
const cmtraceTypes: ReadonlyMap<string, Severity | null> = new Map<string, Severity | null>([
  ['0', null],
  ['1', null],
  ['2', 'WARN'],
  ['3', 'ERROR'],
])

/** Windows components, installers and event exports. */
export const windowsFormats: readonly LogFormat[] = [
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
    // What the Event Viewer saves, with commas or tabs, with its heading. A message has lines of its own.
    pattern: pattern`^\uFEFF?(?:(?:Level|Keywords)[,\t]Date and Time[,\t]Source[,\t]Event ID[,\t]Task Category|(?<level>Critical|Error|Warning|Information|Verbose|Audit (?:Success|Failure))[,\t](?<time>\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2} [AP]M)[,\t](?<provider>[^,\t]*)[,\t](?<event>\d+)[,\t](?<category>"[^"]*"|[^,\t]*)(?:[,\t]"?(?<message>.*?)"?)?)$`,
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
      {
        line: 'Error\t5/1/2024 1:20:30 PM\tShelf Keeper\t7031\tNone\tThe shelf keeper ended, again.',
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
    pattern: pattern`^<Event [^>]*>\s*<System>(?=.*?<Provider Name=["'](?<provider>[^"']*)|)(?=.*?<EventID[^>]*>(?<event>\d+)<)(?=.*?<Level>(?<level>[123])<|)(?=.*?<EventRecordID>(?<record>\d+)<|)(?=.*?<Channel>(?<channel>[^<]*)<|)(?=.*?<Computer>(?<host>[^<]*)<|)(?=.*?SystemTime=["'](?<time>[^"']+)["'])(?:(?:.*?<Message>|.*?<Data>)(?<message>[^<]*)</|)`,
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
      {
        line: '<Event xmlns="x"><System><Provider Name="S"/><EventID>7</EventID><TimeCreated SystemTime="2024-05-01T10:20:30Z"/></System><EventData><Data>Shelf 7 leans.</Data></EventData></Event>',
        time: '2024-05-01T10:20:30.000Z',
        message: 'Shelf 7 leans.',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cmtrace',
    // The offset is the number of minutes by which UTC is ahead.
    pattern: pattern`^<!\[LOG\[(?<message>.*)\]LOG\]!><(?=[^>]{0,400}type="(?<level>[0-3])"|)(?=[^>]{0,400}component="(?<component>[^"]*)"|)time="(?<time>\d{1,2}:\d{2}:\d{2}(?:\.\d+)?[+-]?\d{0,4}" date="\d{1,2}-\d{1,2}-\d{4})"`,
    time: ['hour', 'minute', 'second', 'utcAhead', 'word', 'month', 'day', 'year'],
    levels: cmtraceTypes,
    joins: 'never',
    samples: [
      {
        line: '<![LOG[row 7 leans]LOG]!><time="14:24:33.250+420" date="06-26-2024" component="Shelf" context="" type="2" thread="7" file="row.cpp:7">',
        time: '2024-06-26T21:24:33.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { component: 'Shelf' },
      },
      {
        line: '<![LOG[no room]LOG]!><time="14:24:33.250" date="6-1-2024" component="Shelf" context="" type="3" thread="7" file="">',
        time: '2024-06-01T14:24:33.250Z',
        severity: 'ERROR',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'cmtrace-lines',
    pattern: pattern`^<!\[LOG\[(?!.*\]LOG\]!>)(?<message>.*)`,
    joins: 'never',
    ends: ']LOG]!>',
    samples: [{ line: '<![LOG[the rows of shelf 7:', time: null, message: 'the rows of shelf 7:' }],
  },
  {
    kind: 'pattern',
    name: 'msi-start',
    pattern: pattern`^=== (?<message>Verbose logging (?:started|stopped)|Logging (?:started|stopped)): (?<time>\d{1,2}/\d{1,2}/\d{4} +\d{1,2}:\d{2}:\d{2})`,
    time: 'monthFirstDate',
    joins: 'traces',
    namesDay: true,
    samples: [
      {
        line: '=== Verbose logging started: 5/1/2024  10:20:00  Build type: SHIP UNICODE ===',
        time: '2024-05-01T10:20:00.000Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'msi',
    pattern: pattern`^MSI \((?<side>[csa])\) \((?<thread>[^)]*)\) \[(?<time>\d{2}:\d{2}:\d{2}(?::\d{3})?)\]: (?<message>.*)`,
    time: 'timeOfDay',
    joins: 'traces',
    samples: [
      {
        line: 'MSI (s) (84:8C) [10:20:30:250]: Note: row 7 was counted',
        time: '2024-05-01T10:20:30.250Z',
        message: 'Note: row 7 was counted',
        fields: { side: 's' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'setupapi',
    pattern: pattern`^>>> {1,2}\[(?<message>[^\]]*)\]$`,
    joins: 'untilBlank',
    samples: [{ line: '>>>  [Device Install - USB\\VID_7]', time: null, message: 'Device Install - USB\\VID_7' }],
  },
  {
    kind: 'pattern',
    name: 'setupapi-section',
    pattern: pattern`^>>> {1,2}Section start (?<time>\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?)(?<message>.*)`,
    time: 'iso',
    joins: 'untilBlank',
    samples: [{ line: '>>>  Section start 2024/05/01 10:20:30.250', time: '2024-05-01T10:20:30.250Z' }],
  },
  {
    kind: 'pattern',
    name: 'powershell-list',
    // Output of `Get-WinEvent | Format-List` and `Get-EventLog`: one property per line.
    pattern: pattern`^(?:(?:TimeCreated|TimeGenerated|TimeWritten) +: (?<time>${isoTime}|\d{1,2}[/.]\d{1,2}[/.]\d{4} \d{1,2}:\d{2}:\d{2}(?: [AP]M)?)$|(?:LevelDisplayName|EntryType|Level) +: (?<level>Critical|Error|Warning|Information|Verbose|\w*Audit)$|(?<key>[A-Z]\w{1,40}) +:(?: |$))(?<message>.*)`,
    time: 'moment',
    levels: new Map<string, Severity | null>([
      ['failureaudit', 'WARN'],
      ['successaudit', null],
    ]),
    joins: 'untilBlank',
    needsMajority: true,
    samples: [
      { line: 'TimeCreated  : 5/1/2024 1:20:30 PM', time: '2024-05-01T13:20:30.000Z' },
      { line: 'LevelDisplayName : Warning', time: null, severity: 'WARN' },
      { line: 'Message      : row 7 leans', severity: null, message: 'row 7 leans', fields: { key: 'Message' } },
    ],
  },
]
