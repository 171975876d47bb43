import type { LogFormat } from '../format.ts'
import { afterTime } from './after-time.ts'
import { anyLevel, clock, isoTime, numericDate, pattern, syslogTime } from './pieces.ts'

/** Process, virtual thread and thread, which HCL Domino writes before the time. */
const threads = String.raw`(?:\[[\dA-F]{1,8}:[\dA-F]{1,8}-[\dA-F]{1,16}\] {1,3})?`

/** Lines of unknown programs that begin with a date whose year is not first. */
export const genericDates: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'american-time',
    // With AM or PM the month comes first, unless a line of the file shows otherwise.
    pattern: pattern`^${threads}["\[]?(?<time>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2}),? \d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})? ?[AP]M)["\]]?${afterTime}(?<message>.*)`,
    time: 'monthFirstDate',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '05/01/2024 01:20:30 PM ERROR no room',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
      {
        line: '"5/1/2024 1:20:30 PM","7036","Information","The door is shut."',
        time: '2024-05-01T13:20:30.000Z',
        severity: null,
      },
      {
        line: '[0D14:0027-1334] 05/01/2024 01:20:30 PM  Router: row 7 stands',
        time: '2024-05-01T13:20:30.000Z',
        message: 'Router: row 7 stands',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'dotted-date',
    // No country writes the month first and parts it by dots.
    pattern: pattern`^["\[(]?(?<time>\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2}),? \d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)["\])]?${afterTime}(?<message>.*)`,
    time: 'dotted',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '01.05.2024 10:20:30.250 ERROR no room',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'no room',
      },
      { line: '[01.05.24 10:20:30] <7> Warning  row 7 leans', time: '2024-05-01T10:20:30.000Z', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'numeric-date',
    // Once a line of the file has a number past 12, it is known which of the first two is the day.
    pattern: pattern`^${threads}["\[(]?(?<time>${numericDate})["\])]?${afterTime}(?<message>.*)`,
    time: 'numericDate',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '05/14/2024,10:20:30,shelf,row 7 stands',
        time: '2024-05-14T10:20:30.000Z',
        message: 'shelf,row 7 stands',
      },
      {
        line: '24-05-01 10:20:30 INFO [shelf] row 7 stands',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
      },
      {
        line: '[007077:000041-00007F33A1] 14-05-2024 10:20:30   smtp: row 7 stands',
        time: '2024-05-14T10:20:30.000Z',
        message: 'smtp: row 7 stands',
      },
      {
        line: '14-05-2024 10:20:30.123 [main] FATAL it stops',
        time: '2024-05-14T10:20:30.123Z',
        severity: 'CRITICAL',
        message: 'it stops',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'slashed-date',
    pattern: pattern`^${threads}["\[(]?(?<clock>${numericDate})["\])]?${afterTime}(?<message>.*)`,
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '05/01/2024 10:20:30 [shelf] ERROR: no room',
        time: null,
        severity: 'ERROR',
        message: 'no room',
        fields: { clock: '05/01/2024 10:20:30' },
      },
      // Day and year are indistinguishable here.
      { line: '23-05-24 10:20:30 row 7 stands', time: null, message: 'row 7 stands' },
    ],
  },
  {
    kind: 'pattern',
    name: 'month-time',
    pattern: pattern`^\[?(?:[A-Z][a-z]{2,8}, )?(?<time>[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4},? \d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: [AP]M)?)\]?${afterTime}(?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'May 1, 2024 1:20:30 PM the door is shut',
        time: '2024-05-01T13:20:30.000Z',
        severity: null,
        message: 'the door is shut',
      },
      { line: 'Thursday, February 1, 2024 1:20:30 AM row 7 leans', time: '2024-02-01T01:20:30.000Z' },
    ],
  },
  {
    kind: 'pattern',
    name: 'mail-time',
    // RFC 1123, as mail and HTTP write times.
    pattern: pattern`^\[?(?:[A-Z][a-z]{2}, )?(?<time>\d{1,2}\.? \p{L}{3,9}\.? \d{4} \d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: (?:[A-Z]{3,4}|[+-]\d{4})\b)?)\]?${afterTime}(?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'Wed, 01 May 2024 10:20:30 GMT the door is shut',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'the door is shut',
      },
      { line: '01 May 2024 10:20:30 +0200 [error] no room', time: '2024-05-01T08:20:30.000Z', severity: 'ERROR' },
      {
        line: '1. Februar 2024 10:20:30 Regal 7 ist voll',
        time: '2024-02-01T10:20:30.000Z',
        message: 'Regal 7 ist voll',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'common-time',
    pattern: pattern`^(?:(?<context>\S+) )?\[?(?<time>\d{1,2}[/-][A-Z][a-z]{2}[/-]\d{4}[: ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: [+-]\d{4})?)\]?:? (?<message>.*)`,
    time: 'clf',
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: '19-Oct-2024 05:34:02.425 worker 7 could not lock the table',
        time: '2024-10-19T05:34:02.425Z',
        severity: 'ERROR',
      },
      { line: '[24/Jan/2024:16:51:02 +0000] job 404 is done', time: '2024-01-24T16:51:02.000Z' },
    ],
  },
  {
    kind: 'pattern',
    name: 'unix-date',
    pattern: pattern`^[\[(]?(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: [A-Z]{2,5})? \d{4})[\])]?${afterTime}(?<message>.*)`,
    time: 'asctime',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'Wed May 01 10:20:30 EST 2024 the door is shut',
        time: '2024-05-01T15:20:30.000Z',
        severity: null,
        message: 'the door is shut',
      },
      {
        line: '(Wed May  1 10:20:30 2024) [shelf] (0x0010): Cannot open row 7',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: '[shelf] (0x0010): Cannot open row 7',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'date-string',
    // JavaScript's Date.toString().
    pattern: pattern`^[\[(]?(?<time>[A-Z][a-z]{2},? [A-Z][a-z]{2} {1,2}\d{1,2},? \d{4},? \d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: ?[AP]M)?(?: GMT[+-]\d{4})?)(?: \([^()]{1,40}\))?[\])]?${afterTime}(?<message>.*)`,
    time: ['weekday', 'monthName', 'day', 'year', 'hour', 'minute', 'second'],
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'Wed May 01 2024 10:20:30 GMT+0200 (Central European Summer Time) error: no room',
        time: '2024-05-01T08:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
      { line: 'Wed May 01 2024 10:20:30\tWARNING\trow 7 leans', severity: 'WARN', message: 'row 7 leans' },
    ],
  },
  {
    kind: 'pattern',
    name: 'day-month',
    pattern: pattern`^(?<time>\d{1,2} [A-Z][a-z]{2,8} \d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(?= )${afterTime}(?<message>.*)`,
    time: 'clf',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '1 May 10:20:30 - [error] [shelf:7] no room',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: '[shelf:7] no room',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'month-clock',
    // Lines with a host after the time are syslog.
    pattern: pattern`^[\[(]?(?<time>${syslogTime}(?:,\d{1,9})?)[\])]?${afterTime}(?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '[May  1 10:20:30.250] shelfd WARNING: <row.cc:7 (lean)> row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: '<row.cc:7 (lean)> row 7 leans',
      },
      { line: 'May 01 10:20:30.250 [warn] row 7 leans', time: '2024-05-01T10:20:30.250Z', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'month-day-clock',
    pattern: pattern`^(?<time>\d{2}-\d{2} ${clock})${afterTime}(?<message>.*)`,
    time: 'klog',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '05-01 10:20:30 Warn row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'month-day-year',
    pattern: pattern`^[\[(]?(?<time>[A-Z][a-z]{2}-\d{2}-(?:\d{4}|\d{2}) ${clock})[\])]?${afterTime}(?<message>.*)`,
    time: ['monthName', 'day', 'anyYear', 'hour', 'minute', 'second'],
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'May-01-24 10:20:30 [Worker_7] row 7 leans',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: '[Worker_7] row 7 leans',
      },
      { line: '[May-01-2024 10:20:30.250] ERROR no room', time: '2024-05-01T10:20:30.250Z', severity: 'ERROR' },
    ],
  },
  {
    kind: 'pattern',
    name: 'colon-date',
    pattern: pattern`^[\[(]?(?<time>\d{4}:\d{2}:\d{2}[ -]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(?=[\s\])|:,;])[\])]?${afterTime}(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: "2024:05:01-10:20:30: '192.0.2.7' 7 boxes",
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: "'192.0.2.7' 7 boxes",
      },
      { line: '[2024:05:01 10:20:30] WARN row 7 leans', time: '2024-05-01T10:20:30.000Z', severity: 'WARN' },
    ],
  },
  {
    kind: 'pattern',
    name: 'zone-month-clock',
    pattern: pattern`^\[(?<time>[A-Z]{3,5} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2})\]${afterTime}(?<message>.*)`,
    time: ['zone', 'monthName', 'day', 'hour', 'minute', 'second'],
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: "[UTC May  1 10:20:30] error    : 'attic' row 7 is full",
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: "'attic' row 7 is full",
      },
      { line: '[PDT May  1 03:20:30] info     : row 7 stands', time: '2024-05-01T10:20:30.000Z', severity: null },
    ],
  },
  {
    kind: 'pattern',
    name: 'month-day',
    pattern: pattern`^\[?(?<time>[A-Z][a-z]{2}-\d{2} ${clock})\]?${afterTime}(?<message>.*)`,
    time: 'syslog',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: 'May-01 10:20:30.123 [main] ERROR shop.Shelf - no room',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'shop.Shelf - no room',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'compact-time',
    pattern: pattern`^(?<time>\d{8}[.T -]\d{6}(?:[.,]\d+)?(?:Z|[+-]\d{4})?)[:\s]+(?:(?<level>${anyLevel})[:\s]+)?(?<message>.*)`,
    time: 'compact',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '20240702.102240,672:ERROR:foo bar baz',
        time: '2024-07-02T10:22:40.672Z',
        severity: 'ERROR',
        message: 'foo bar baz',
      },
      { line: '20240501T102030+0200 the door is shut', time: '2024-05-01T08:20:30.000Z', message: 'the door is shut' },
    ],
  },
  {
    kind: 'pattern',
    name: 'compact-date',
    // Apps of phones write their numbers without zeros before them.
    pattern: pattern`^["\[(]?(?<time>(?:\d{6}|\d{8})(?: {1,2}|[-_T])\d{1,2}:\d{1,2}:\d{1,2}(?:[.,:]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)(?=[\s\])":,|])["\])]?${afterTime}(?<message>.*)`,
    time: 'compactDateClock',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '20240501 10:20:30.250 - FAIL - row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'row 7 leans',
      },
      {
        line: '20240501 10:20:30,attic,kim,no room',
        time: '2024-05-01T10:20:30.000Z',
        message: 'attic,kim,no room',
      },
      {
        line: '20240501-10:20:30.250 WARN row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
      {
        line: '20240501-7:2:3:58|Shelf|30002312|row 7 leans',
        time: '2024-05-01T07:02:03.058Z',
        severity: null,
      },
      { line: '[20240501T10:20:30+0200] row 7 leans', time: '2024-05-01T08:20:30.000Z', message: 'row 7 leans' },
      {
        line: '240501 10:20:30 [error] no room',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'ERROR',
        message: 'no room',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'epoch',
    pattern: pattern`^\[?(?<time>1\d{9}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?)\]?[\s:,|]+(?:\[?(?<level>${anyLevel})\]?[\s:]+)?(?<message>.*)`,
    time: 'epoch',
    joins: 'traces',
    isGeneric: true,
    samples: [
      {
        line: '1717634687123 the door is shut',
        time: '2024-06-06T00:44:47.123Z',
        severity: null,
        message: 'the door is shut',
      },
      { line: '1717634687.5 ERROR no room', time: '2024-06-06T00:44:47.500Z', severity: 'ERROR' },
      { line: '[1717634687.250000] row 7 stands', time: '2024-06-06T00:44:47.250Z', message: 'row 7 stands' },
    ],
  },
]

/** Lines of unknown programs with a prefix before the time, in files of which most lines have one. */
export const genericTimesWithin: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'time-within',
    pattern: pattern`^(?<prefix>\S.{0,79}?[\s\[(<|,;:"'>\]])??(?<time>${isoTime}|${numericDate}|[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2} \d{4}|(?<=[\s\[(|])${syslogTime})(?!\d)[\])>"]?${afterTime}(?<message>.*)`,
    time: 'numericMoment',
    joins: 'untilHeader',
    isGeneric: true,
    needsMajority: true,
    samples: [
      {
        line: '[shelfd] 2024/05/01 10:20:30.250000 WARNING: row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
        fields: { prefix: '[shelfd]' },
      },
      {
        line: 'Shelf 2024-05-01 10:20:30.250 SEVERE: [7] row 7 leans',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: '[7] row 7 leans',
      },
      { line: '[Shelf] [2024-05-01 10:20:30.250 +02:00  7] [ERR] Shop.Row no room', severity: 'ERROR' },
      { line: '7;05/14/2024 10:20:30;row 7 leans', time: '2024-05-14T10:20:30.000Z' },
    ],
  },
]
