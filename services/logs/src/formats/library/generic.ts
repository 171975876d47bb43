import type { LogFormat } from '../format.ts'
import { anyLevel, clock, isoDate, isoTime, pattern, slashTime, zone } from './pieces.ts'

const numericDate = String.raw`(?:\d{1,2}/\d{1,2}/|\d{1,2}-\d{1,2}-)(?:\d{4}|\d{2}),? \d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`
const dottedTime = String.raw`\d{4}\.\d{2}\.\d{2}[T ]${clock}${zone}`
/** A clock of twelve hours: past them, what follows is a word of the line. */
const halfDayTime = String.raw`${isoDate} (?:0?[1-9]|1[0-2]):\d{2}:\d{2}(?:[.,]\d{1,9})? [AP]M\b`

/**
 * What programs put between a time and a level: brackets, and what has more than letters up to a space or a bracket. No words. Each ends in
 * one way only, or a line could be taken apart in thousands.
 */
const mark = String.raw`(?:\[[^\[\]]{0,60}\]:?|\([^()]{0,60}\):?|(?=[A-Za-z]{0,40}(?:[^\sA-Za-z\[\](),.;:!?"']|[.:]\w))[^\s\[\]()]{1,60}(?=[\s\[(]))\s*`
/** One word may stand before a level that is in capitals or in brackets. */
const name = String.raw`(?:[A-Za-z]\w{0,39}[:|,]?\s+(?=[\[(]?[A-Z]{2}|[\[(]\w+[\])])|[\w.$-]{1,40}[\]|:])?`
const context = `(?<context>(?:${mark}){0,6}?${name})`
/** Past these, a small word is one of a sentence. */
const plainLevel = String.raw`(?=[\[("|:]?(?:[A-Z]{2,}|\w+[\])|:",]))`
/** What may be between a time and its message: a level, where nothing but marks comes before it. What is more belongs to the message. */
const afterTime = String.raw`(?:[\s|:,]|-(?=[\s-]))*(?:(?:${context}${plainLevel})??[\[("|:]?(?<level>${anyLevel})(?=[\s\]|:)",]))?(?:[\s\]:|)]|"(?=[\s,])|-(?=[\s-]))*`

/** Lines that carry a time and perhaps a level, whoever wrote them: tried when nothing that knows more fits. */
export const genericFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'go-log',
    // Hashicorp's programs began it with four blanks.
    pattern: pattern`^(?: {4})?(?<time>${slashTime}) (?:(?<file>[\w.\/-]+\.go:\d+): )?(?:\[?(?<level>${anyLevel})(?:\]:?| *:)(?= |$) *)?(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '2024/05/01 10:20:30.250000 [error] shelf 7: no room for basket 417',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'ERROR',
        message: 'shelf 7: no room for basket 417',
      },
      {
        line: '2024/02/21 08:05:56 main.go:41: listening on :8080',
        time: '2024-02-21T08:05:56.000Z',
        severity: null,
        message: 'listening on :8080',
        fields: { file: 'main.go:41' },
      },
      { line: '2024/02/21 08:05:56 NOTICE: sync: Cannot lock', message: 'sync: Cannot lock' },
      { line: '    2024/02/21 08:05:56 [ERR] agent: no leader', severity: 'ERROR', message: 'agent: no leader' },
    ],
  },
  {
    kind: 'pattern',
    name: 'iso-time',
    pattern: pattern`^["\[(]?(?<time>${halfDayTime}|${isoTime}|${dottedTime}|${isoDate}[T ]\d{2}:\d{2}\b)[\])"]?${afterTime}(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '2024-05-01T10:20:30.250Z [DOOR] WARN: It stands open since noon',
        time: '2024-05-01T10:20:30.250Z',
        severity: 'WARN',
        message: 'It stands open since noon',
        fields: { context: '[DOOR]' },
      },
      {
        line: '2024-05-01 10:20:30 the job ended with ERROR: shelf is full',
        severity: 'ERROR',
        message: 'the job ended with ERROR: shelf is full',
      },
      {
        line: '2024-05-01 10:20:30 job-7 error handling was left out',
        message: 'job-7 error handling was left out',
      },
      {
        line: '2024-05-01 10:20:30 host=attic 7/pump [row=3] - INFO [worker] "seven" boxes failed no more',
        severity: null,
        message: '[worker] "seven" boxes failed no more',
        fields: { level: 'INFO' },
      },
      { line: '2024-05-01 10:20:30 "seven" boxes', severity: null, message: '"seven" boxes' },
      { line: '2024-05-01 10:20:30: -7 boxes', severity: null, message: '-7 boxes' },
      {
        line: '2024-06-29 16:04:05 somebody [192.0.2.4] failed to log in',
        time: '2024-06-29T16:04:05.000Z',
        severity: 'ERROR',
      },
      {
        line: '2024-05-01 10:20:30 PM WARN the door stands open',
        time: '2024-05-01T22:20:30.000Z',
        severity: 'WARN',
        message: 'the door stands open',
      },
      {
        line: '2024.05.01 10:20:30 the door is shut',
        time: '2024-05-01T10:20:30.000Z',
        severity: null,
        message: 'the door is shut',
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'american-time',
    // With AM or PM the month comes first, unless a line of the file shows otherwise.
    pattern: pattern`^["\[]?(?<time>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2}),? \d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})? ?[AP]M)["\]]?${afterTime}(?<message>.*)`,
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
    pattern: pattern`^["\[(]?(?<time>${numericDate})["\])]?${afterTime}(?<message>.*)`,
    time: 'numericDate',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
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
    pattern: pattern`^["\[(]?(?<clock>${numericDate})["\])]?${afterTime}(?<message>.*)`,
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
    pattern: pattern`^[\[(]?(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: [A-Z]{2,5})? \d{4})[\])]?:? ?(?<message>.*)`,
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
    pattern: pattern`^(?<time>(?:\d{6}|\d{8}) {1,2}\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(?=[:\s])${afterTime}(?<message>.*)`,
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
    ],
  },
  {
    kind: 'pattern',
    name: 'clock-time',
    // A time of day is none that an entry can be found by; it tells a header, though.
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
    name: 'level-word',
    // Words that are rarely written in capitals where they are no level.
    pattern: pattern`^(?<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|CRIT|FATAL|SEVERE)[ \t]+(?<message>.*)`,
    joins: 'traces',
    isGeneric: true,
    samples: [
      { line: 'ERROR shelf 7 fell over', time: null, severity: 'ERROR', message: 'shelf 7 fell over' },
      { line: 'INFO  nobody failed', time: null, severity: null, message: 'nobody failed' },
    ],
  },
]

/** What container runtimes, and senders of syslog, put before the lines of others. */
export const containerFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'cri',
    pattern: pattern`^(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d+(?:Z|[+-]\d{2}:\d{2})) (?<stream>stdout|stderr) (?<tag>[FP](?::\w+)*) (?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: / (stdout|stderr) /,
    samples: [
      {
        line: '2024-12-31T17:40:00.000000100+01:00 stdout F level=error msg="no route" code=7',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'ERROR',
        fields: { stream: 'stdout', code: '7' },
        message: 'no route',
      },
      {
        line: '2024-12-31T17:40:00.000000100+01:00 stderr F E1231 16:40:00.100000       7 shelf.go:7] row 7 leans',
        time: '2024-12-31T16:40:00.000Z',
        severity: 'ERROR',
        message: 'row 7 leans',
        fields: { file: 'shelf.go:7', tag: 'F' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'docker-compose',
    // A time of the engine's own, which may be asked for, has more digits than programs write.
    pattern: pattern`^(?!(?:${anyLevel}) )(?<service>[\w.-]+) +\| ?(?:(?<time>${isoDate}T\d{2}:\d{2}:\d{2}\.\d{7,9}Z) )?(?<message>.*)`,
    time: 'iso',
    joins: 'traces',
    wraps: true,
    stream: /^([\w.-]+)/,
    samples: [
      {
        line: 'caddy  | {"level":"warn","ts":1717019822.5,"msg":"not formatted"}',
        time: '2024-05-29T21:57:02.500Z',
        severity: 'WARN',
        message: 'not formatted',
        fields: { service: 'caddy', level: 'warn' },
      },
      {
        line: 'shop-1  | 2024-05-01T10:20:30.123456789Z 2024-05-01 10:20:30,120 - shop.payments - ERROR - card was refused',
        time: '2024-05-01T10:20:30.123Z',
        severity: 'ERROR',
        message: 'card was refused',
        fields: { service: 'shop-1', logger: 'shop.payments' },
      },
    ],
  },
  {
    kind: 'pattern',
    name: 'syslog-priority',
    // A priority alone, as firewalls put it before lines of their own.
    pattern: pattern`^<(?<priority>\d{1,3})>:? {0,2}(?<message>[^\s<].*)`,
    joins: 'traces',
    wraps: true,
    samples: [
      {
        line: '<188>date=2024-05-01 time=10:20:30 devname="gate" type="event" level="alert" user="kim" msg="kim could not sign in"',
        time: '2024-05-01T10:20:30.000Z',
        severity: 'CRITICAL',
        message: 'kim could not sign in',
        fields: { user: 'kim', priority: '188' },
      },
      { line: '<11>the door fell over', time: null, severity: 'ERROR', message: 'the door fell over' },
    ],
  },
]
