import type { LogFormat } from '../format.ts'
import { afterTime } from './after-time.ts'
import { anyLevel, pattern } from './pieces.ts'

/** Lines without a date: a time of day, or only a level. */
export const genericLevels: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'clock-time',
    // A time of day alone does not date an entry, but it marks a header.
    pattern: pattern`^\[?(?<clock>\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)\]?(?: - | ?: | )${afterTime}(?<message>.*)`,
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: '10:20:30.123 pump ERROR  no water',
        time: null,
        severity: 'ERROR',
        message: 'no water',
        fields: { clock: '10:20:30.123' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-only',
    pattern: pattern`^\[?(?<level>${anyLevel})(?:\]:?(?: |$)|:(?:(?<logger>[A-Za-z_][\w.]*):| )) *(?<message>.*)`,
    joins: 'traces',
    isGeneric: true,
    samples: [
      { line: 'INFO:     Application startup complete.', time: null, severity: null },
      { line: 'ERROR:root:it broke', time: null, severity: 'ERROR', message: 'it broke' },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-letter',
    // As the tools of Debian's packages mark their notices, warnings and errors.
    pattern: /^(?<level>[EWNI]): (?<message>.*)/,
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: 'W: Some shelves failed to fill.',
        time: null,
        severity: 'WARN',
        message: 'Some shelves failed to fill.',
      },
      { line: 'E: The row is not signed.', time: null, severity: 'ERROR' },
      { line: 'N: Errors are listed in the manual.', time: null, severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'level-word',
    // Words that are rarely written in capitals where they are no level.
    pattern: pattern`^(?<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|CRIT|FATAL|SEVERE)[ \t]+(?<message>.*)`,
    joins: 'traces',
    isGeneric: true,
    samples: [
      { line: 'ERROR shelf 7 fell over', time: null, severity: 'ERROR', message: 'shelf 7 fell over' },
      { line: 'INFO  row 7 never failed', time: null, severity: null, message: 'row 7 never failed' },
    ],
  },
]
