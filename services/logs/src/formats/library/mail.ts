import type { LogFormat } from '../format.ts'
import { pattern, syslogTime } from './pieces.ts'

/** Mail and chat. */
export const mailFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'hmailserver',
    pattern: pattern`^"(?<level>ERROR|DEBUG|[A-Z0-9]{3,12})"\t(?<thread>\d+)\t(?:(?<session>\d+)\t)?"(?<time>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?)"\t(?:"(?<client>[^"]*)"\t)?"(?<message>.*?)"?$`,
    time: 'iso',
    joins: 'never',
    samples: [
      {
        line: '"SMTPD"\t77\t7\t"2024-05-01 10:20:30.250"\t"192.0.2.7"\t"SENT: 220 attic ESMTP"',
        time: '2024-05-01T10:20:30.250Z',
        severity: null,
        message: 'SENT: 220 attic ESMTP',
        fields: { client: '192.0.2.7', session: '7' },
      },
      {
        line: '"ERROR"\t77\t"2024-05-01 10:20:30.250"\t"the port is in use"',
        severity: 'ERROR',
        message: 'the port is in use',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'prosody',
    pattern: pattern`^(?<time>${syslogTime}) (?<logger>\S+)\t+(?<level>debug|info|warn|error)\t+(?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    samples: [
      {
        line: 'May 01 10:20:30 mod_s2s\twarn\trow 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { logger: 'mod_s2s' },
      },
    ],
  },
]
