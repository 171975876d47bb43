import type { LogFormat } from '../format.ts'
import { clock, isoDate, pattern, syslogTime, upperLevel, zone } from './pieces.ts'

const program = String.raw`(?<program>[^\s:\[\]]+(?:\([^)]*\))?)(?:\[(?<pid>[^\]]*)\])?`

/** Syslog as it goes over the wire and as it lies in files. */
export const syslogFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'syslog-rfc5424',
    pattern: pattern`^<(?<priority>\d{1,3})>\d{1,2} (?<time>${isoDate}T${clock}${zone}|-) (?<host>\S+) (?<program>\S+) (?<pid>\S+) (?<id>\S+) (?<data>-|(?:\[(?:[^\]\\"]|\\.|"(?:[^"\\]|\\.)*")*\])+) ?\uFEFF?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '<34>1 2024-10-11T22:14:15.003Z mail.example.net su 77 ID47 [exampleSDID@32473 iut="3"] su root failed for kim on /dev/pts/8',
        time: '2024-10-11T22:14:15.003Z',
        severity: 'CRITICAL',
        message: 'su root failed for kim on /dev/pts/8',
        fields: { host: 'mail.example.net', program: 'su', pid: '77', id: 'ID47' },
      },
      {
        line: '<165>1 2024-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - all is well',
        time: '2024-08-24T12:14:15.000Z',
        severity: null,
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-iso',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?(?<time>${isoDate}T${clock}${zone}) (?!(?:${upperLevel})\b)(?<host>[\w.:-]+) ${program}: ?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    samples: [
      {
        line: '2024-10-05T11:47:20.799042+02:00 attic kernel: [869507.505196] usb 1-1: device not accepting address 4, error -71',
        time: '2024-10-05T09:47:20.799Z',
        severity: 'ERROR',
        fields: { host: 'attic', program: 'kernel' },
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
    name: 'syslog-rfc3164',
    pattern: pattern`^(?:<(?<priority>\d{1,3})>)?(?<time>${syslogTime}) (?<host>\S+) (?:${program}: ?)?(?<message>.*)`,
    time: 'syslog',
    joins: 'traces',
    samples: [
      {
        line: 'Jun  4 15:16:01 combo sshd(pam_unix)[19939]: authentication failure; logname= uid=0 tty=NODEVssh rhost=192.0.2.4',
        time: '2024-06-04T15:16:01.000Z',
        severity: 'ERROR',
        fields: { host: 'combo', program: 'sshd(pam_unix)', pid: '19939' },
      },
      {
        line: '<13>Oct 11 22:14:15 mymachine backup: finished',
        time: '2024-10-11T22:14:15.000Z',
        severity: null,
        message: 'finished',
      },
      { line: 'Feb 29 00:00:01 router -- MARK --', time: '2024-02-29T00:00:01.000Z', severity: null },
      {
        line: 'août 19 11:08:37 portable cron[49]: démarré',
        time: '2024-08-19T11:08:37.000Z',
        severity: null,
        message: 'démarré',
      },
    ],
  },
]
