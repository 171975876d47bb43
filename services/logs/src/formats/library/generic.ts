import type { LogFormat } from '../format.ts'
import { afterTime } from './after-time.ts'
import { anyLevel, clock, isoDate, isoTime, pattern, slashTime, zone } from './pieces.ts'

const dottedTime = String.raw`\d{4}\.\d{2}\.\d{2}(?:[T ]${clock}${zone}|-\d{2}\.\d{2}\.\d{2}(?:[.:]\d{1,9})?)`
/** A time without colons, as in file names. */
const dashedTime = String.raw`${isoDate}[ _T-]\d{2}-\d{2}-\d{2}(?:\.\d{1,9})?`
/** A clock of twelve hours: past them, what follows is a word of the line. */
const halfDayTime = String.raw`${isoDate} (?:0?[1-9]|1[0-2]):\d{2}:\d{2}(?:[.,]\d{1,9})? [AP]M\b`

/** Lines that carry a time and perhaps a level, whoever wrote them: tried when nothing that knows more fits. */
export const genericFormats: readonly LogFormat[] = [
  {
    kind: 'pattern',
    name: 'go-log',
    // Hashicorp's programs began it with four blanks.
    pattern: pattern`^(?: {4})?(?<time>${slashTime}) (?:(?<thread>\d+#\d+) )?(?:(?<file>[\w.\/-]+\.go:\d+): )?(?:\[?(?<level>${anyLevel})(?:\]:?| *:)(?= |$) *)?(?<message>.*)`,
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
      {
        line: '2024/02/21 08:05:56.250000 7#41 [info] upstream 192.0.2.7:53 failed once',
        severity: null,
        message: 'upstream 192.0.2.7:53 failed once',
        fields: { thread: '7#41' },
      },
      { line: '    2024/02/21 08:05:56 [ERR] agent: no leader', severity: 'ERROR', message: 'agent: no leader' },
    ],
  },
  {
    kind: 'pattern',
    name: 'iso-time',
    pattern: pattern`^["\[(]?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?<time>${halfDayTime}|${isoTime}|${dottedTime}|${dashedTime}|${isoDate}[T ]\d{2}:\d{2}\b)[\])"]?${afterTime}(?<message>.*)`,
    time: ['year', 'month', 'day', 'hour', 'minute', 'optionalSecond'],
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
      { line: '2024-05-01 10-20-30.250 [Error] (shelf) no room', time: '2024-05-01T10:20:30.250Z', severity: 'ERROR' },
      { line: 'Wed 2024-05-01 10:20:30.250: row 7 leans', time: '2024-05-01T10:20:30.250Z', message: 'row 7 leans' },
      { line: '[2024.05.01-10.20.30:250] row 7 leans', time: '2024-05-01T10:20:30.250Z' },
      {
        line: '2024-05-01 10:20:30 +02 - row 7 leans',
        time: '2024-05-01T08:20:30.000Z',
        message: 'row 7 leans',
      },
      {
        line: '2024-05-01 10:20:30 -03 ERROR row 7 leans',
        time: '2024-05-01T13:20:30.000Z',
        severity: 'ERROR',
        message: 'row 7 leans',
      },
      {
        line: '2024-05-01 10:20:30.250 -0330 WARN row 7 leans',
        time: '2024-05-01T13:50:30.250Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
      { line: '2024-05-01 10:20 WARN row 7 leans', time: '2024-05-01T10:20:00.000Z', message: 'row 7 leans' },
      { line: '[2024-05-01 10:20] [SHELF] row 7 leans', time: '2024-05-01T10:20:00.000Z' },
      { line: '2024-05-01 10:20:30,ERROR,"row 7, leans"', severity: 'ERROR', message: '"row 7, leans"' },
      { line: '2024-05-01 10:20:30;warn;row 7 leans', severity: 'WARN', message: 'row 7 leans' },
      { line: '2024-05-01 10:20:30.250: W shop/shelf.cc:7] row 7 leans', severity: 'WARN', fields: { level: 'W' } },
      {
        line: '2024-05-01 10:20:30 E! [shelf] row 7 failed no more',
        severity: 'ERROR',
        message: '[shelf] row 7 failed no more',
      },
      { line: '2024-05-01 10:20:30 [ warn] [shelf] row 7 failed no more', severity: 'WARN' },
      { line: '2024-05-01 10:20:30 E coli was found in row 7', severity: null, message: 'E coli was found in row 7' },
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
    name: 'short-iso-time',
    // Without the zeros of a month or a day, as Chinese locales write it.
    pattern: pattern`^[\[(]?(?<time>(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2})[T ]\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)[\])]?${afterTime}(?<message>.*)`,
    time: 'iso',
    joins: 'untilHeader',
    isGeneric: true,
    samples: [
      {
        line: '2024/5/1 9:20:30 [WARN] row 7 leans',
        time: '2024-05-01T09:20:30.000Z',
        severity: 'WARN',
        message: 'row 7 leans',
      },
      { line: '2024-5-11 10:20:30.250 row 7 stands', time: '2024-05-11T10:20:30.250Z', severity: null },
    ],
  },
]
