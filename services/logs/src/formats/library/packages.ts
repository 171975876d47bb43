import type { LogFormat } from '../format.ts'
import { isoDate, pattern } from './pieces.ts'

/** Package managers. */
export const packageFormats: readonly LogFormat[] = [
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
]
