import type { LogFormat } from '../format.ts'
import { clock, isoDate, pattern } from './pieces.ts'

const unrealLevel = 'Fatal|Error|Warning|Display|Log|Verbose|VeryVerbose'

/** Game servers and voice chat. */
export const gameFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'source-engine',
    pattern: pattern`^L (?<time>\d{2}/\d{2}/\d{4} - \d{2}:\d{2}:\d{2}(?:\.\d{3})?)(?:: | - )(?<message>.*)`,
    time: 'americanYear',
    joins: 'traces',
    samples: [
      {
        line: 'L 05/01/2024 - 10:20:30: Shelf triggered "Round_Start"',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'Shelf triggered "Round_Start"',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'unreal',
    pattern: pattern`^(?:\[(?<time>\d{4}\.\d{2}\.\d{2}-\d{2}\.\d{2}\.\d{2}:\d{3})\]\[ *(?<frame>\d+)\](?:(?<category>\w+): )?|(?<logger>Log[A-Z]\w*): )(?:(?<level>${unrealLevel}): )?(?<message>.*)`,
    time: 'iso',
    levels: new Map([['display', null]]),
    joins: 'untilHeader',
    samples: [
      {
        line: '[2024.05.01-10.20.30:250][  7]LogShelf: Warning: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { category: 'LogShelf' },
      },
      { line: 'LogShelf: Error: no room', time: null, severity: 'ERROR', fields: { logger: 'LogShelf' } },
    ],
  },
  {
    kind: 'pattern',
    name: 'project-zomboid',
    pattern: pattern`^(?:\[(?<time>\d{2}-\d{2}-\d{2} ${clock})\] )?(?<level>LOG|DEBUG|TRACE|WARN|ERROR) *: (?<category>[A-Z]\w*) *(?:, (?<instant>\d{13})>|f:\d+>|f:\d+, t:(?<started>\d+)>) ?(?<message>.*)`,
    time: ['day', 'month', 'shortYear', 'hour', 'minute', 'second'],
    joins: 'untilHeader',
    samples: [
      {
        line: 'ERROR: General     , 1714558830250> 1,208> no room',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        fields: { category: 'General' },
      },
      {
        line: '[01-05-24 10:20:30.250] LOG  : General      f:0> row 7 stands',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
        message: 'row 7 stands',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'mumble',
    pattern: pattern`^<(?<level>[DIWCFX])>(?<time>${isoDate} ${clock}) (?<message>.*)`,
    time: 'iso',
    levels: new Map([['x', null]]),
    joins: 'untilHeader',
    samples: [
      {
        line: '<W>2024-05-01 10:20:30.250 1 => row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: '1 => row 7 leans',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'factorio',
    pattern: pattern`^(?=[ \d]{4}\.) *(?<uptime>\d{1,4}\.\d{3}) (?:(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2});|(?<level>Verbose|Info|Warning|Error)|(?=[A-Z][a-z]+ )) *(?:(?<file>\w+\.[ch]pp:\d+): )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '   7.250 Error Shelf.cpp:91: no room',
        time: null,
        severity: 'ERROR',
        message: 'no room',
        fields: { uptime: '7.250', file: 'Shelf.cpp:91' },
      },
      {
        line: '   0.000 2024-05-01 10:20:30; Shelf 1.1 (build 7)',
        time: '2024-05-01T10:20:30.000Z',
        message: 'Shelf 1.1 (build 7)',
      },
    ],
  },
]
