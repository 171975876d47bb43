import type { Description, LineReader } from './header.ts'
import { severityOfLevel } from './levels.ts'
import { createTimeReader, readEpoch, type TimeContext } from './time.ts'

const pair = /([\w.@/-]+)=("(?:[^"\\]|\\.)*"|\S*)\s*/y
const fewestPairs = 3
const timeKeys = ['time', 'ts', 't', 'timestamp', '@timestamp', 'datetime']
const levelKeys = ['level', 'lvl', 'severity', 'loglevel']
const messageKeys = ['msg', 'message', 'event', 'log']
const startsLikePair = /^[\w.@/-]+=/

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

const writtenTime = (pairs: Record<string, string>): string | undefined => {
  const { date, time } = pairs
  return date !== undefined && time !== undefined ? `${date} ${time}` : first(pairs, timeKeys)
}

const digits = /^\d+(?:\.\d+)?$/

export const createLogfmtReader = (name: string, context: TimeContext): LineReader => {
  const readIso = createTimeReader('iso', context)
  return {
    read: (line, header) => {
      const pairs = pairsOf(line)
      if (!pairs) return undefined
      const time = writtenTime(pairs)
      header.time = time === undefined ? Number.NaN : digits.test(time) ? readEpoch(time) : readIso(time)
      const level = first(pairs, levelKeys)
      header.severity = level === undefined ? undefined : severityOfLevel(level)
      header.repeatCount = 1
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
