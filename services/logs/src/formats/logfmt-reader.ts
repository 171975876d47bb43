import { type Description, type LineReader, lineEnd, setMessage } from './header.ts'
import { severityOfLevel, syslogSeverity } from './levels.ts'
import { createTimeReader, readEpoch, type TimeContext } from './time.ts'

const pair = /([\w.@/-]+)=("(?:[^"\\]|\\.)*"|\S*)\s*/y
const fewestPairs = 3
const timeKeys = ['time', 'ts', 't', 'timestamp', '@timestamp', 'datetime']
/** `at` is that of Heroku's router, where it is a level. */
const levelKeys = ['level', 'lvl', 'severity', 'loglevel', 'priority', 'at']
const messageKeys = ['msg', 'message', 'event', 'log']
/** How each line begins that is made of pairs. */
export const startsLikePair = /^[\w.@/-]+=/

const unquote = (value: string): string =>
  value.startsWith('"')
    ? value
        .slice(1, -1)
        .replace(/\\(["\\nt])/g, (_, mark: string) => (mark === 'n' ? '\n' : mark === 't' ? '\t' : mark))
    : value

/** The pairs of a line; undefined where it is not made of pairs from its start. What follows them is no pair and ends them. */
const pairsOf = (line: string): Record<string, string> | undefined => {
  if (!startsLikePair.test(line)) return undefined
  const pairs: Record<string, string> = {}
  let count = 0
  pair.lastIndex = 0
  for (let match = pair.exec(line); match; match = pair.exec(line)) {
    const [, key = '', value = ''] = match
    pairs[key] ??= unquote(value)
    count++
  }
  return count >= fewestPairs ? pairs : undefined
}

const first = (pairs: Record<string, string>, keys: readonly string[]): string | undefined => {
  const key = keys.find((name) => pairs[name] !== undefined && pairs[name] !== '')
  return key === undefined ? undefined : pairs[key]
}

/** An offset, or a zone's abbreviation. */
const zone = /^(?:[+-]\d{2}:?\d{2}|[A-Z]{3,5})$/

const writtenTime = (pairs: Record<string, string>): string | undefined => {
  const { date, time, tz = pairs.timezone ?? '' } = pairs
  if (date === undefined || time === undefined) return first(pairs, timeKeys)
  return `${date} ${time}${zone.test(tz) ? ` ${tz}` : ''}`
}

/** What Fortinet's firewalls write beside date, time and zone: the epoch, of their older systems in seconds, of the others in nanoseconds. */
const momentOf = ({ date, eventtime = '' }: Record<string, string>): string | undefined =>
  date !== undefined && /^\d{10,19}$/.test(eventtime) ? eventtime : undefined

/** Where the message stands in the line; all of the line where no pair is one. */
const messageIn = (line: string, pairs: Record<string, string>): [start: number, end: number] => {
  const key = messageKeys.find((name) => pairs[name] !== undefined && pairs[name] !== '')
  const pairStart = key === undefined ? -1 : line.startsWith(`${key}=`) ? 0 : line.indexOf(` ${key}=`) + 1
  if (key === undefined || pairStart < 0) return [0, lineEnd]
  const valueStart = pairStart + key.length + 1
  const start = line[valueStart] === '"' ? valueStart + 1 : valueStart
  return [start, start + (pairs[key] ?? '').length]
}

/** SonicWall's firewalls write a severity of syslog. */
const syslogNumber = (pri: string | undefined): number | undefined =>
  pri !== undefined && /^[0-7]$/.test(pri) ? syslogSeverity(Number(pri)) : undefined

const digits = /^\d+(?:\.\d+)?$/

export const createLogfmtReader = (name: string, context: TimeContext): LineReader => {
  const readIso = createTimeReader('iso', context)
  return {
    read: (line, header) => {
      const pairs = pairsOf(line)
      if (!pairs) return undefined
      const time = momentOf(pairs) ?? writtenTime(pairs)
      header.time = time === undefined ? Number.NaN : digits.test(time) ? readEpoch(time) : readIso(time)
      const level = first(pairs, levelKeys)
      header.severity = level === undefined ? syslogNumber(pairs.pri) : severityOfLevel(level)
      header.repeatCount = 1
      const [start, end] = messageIn(line, pairs)
      setMessage(header, start, end)
      return name
    },
  }
}

export const describeLogfmt = (firstLine: string): Description | undefined => {
  const pairs = pairsOf(firstLine)
  return (
    pairs && {
      message: first(pairs, messageKeys) ?? firstLine,
      fields: pairs,
      timestampRaw: writtenTime(pairs) ?? null,
    }
  )
}
