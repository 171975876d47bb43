import type { PatternFormat } from './format.ts'
import type { Description, Header, LineReader } from './header.ts'
import { severityOfLevel, severityOfStatus, syslogSeverity } from './levels.ts'
import { createTimeReader, type TimeContext } from './time.ts'

const headerGroups = ['time', 'level', 'priority', 'status'] as const
type HeaderGroup = (typeof headerGroups)[number]

const groupStart = /\(\?<([a-z_]\w*)>/gi
const messageAtEnd = '(?<message>.*)'

/** The pattern with only those groups that the header needs: what is not captured costs nothing. */
const headerPattern = (
  format: PatternFormat,
): { pattern: RegExp; places: Partial<Record<HeaderGroup | 'message', number>> } => {
  const source = format.pattern.source
  const keepsMessage = format.wraps === true
  const start = !keepsMessage && source.endsWith(messageAtEnd) ? source.slice(0, -messageAtEnd.length) : source
  const places: Partial<Record<HeaderGroup | 'message', number>> = {}
  let captured = 0
  const reduced = start.replace(groupStart, (whole, name: string) => {
    const group = [...headerGroups, ...(keepsMessage ? (['message'] as const) : [])].find((wanted) => wanted === name)
    if (!group) return '(?:'
    places[group] = ++captured
    return whole
  })
  return { pattern: new RegExp(reduced, format.pattern.flags), places }
}

/** syslogd counts what it does not write again. */
const repeated = /\b(?:last )?message repeated (\d{1,9}) times?\b/

/** `inner` reads the message of a format that wraps others. */
export const createPatternReader = (format: PatternFormat, context: TimeContext, inner?: LineReader): LineReader => {
  const { pattern, places } = headerPattern(format)
  const readTime = format.time ? createTimeReader(format.time, context) : undefined
  const isSyslog = format.name.startsWith('syslog')
  const { time = 0, level = 0, priority = 0, status = 0, message = 0 } = places
  return {
    read: (line, header) => {
      const match = pattern.exec(line)
      if (!match) return undefined
      const written = time === 0 ? undefined : match[time]
      header.time = readTime && written !== undefined ? readTime(written) : Number.NaN
      // A nil time is allowed to RFC 5424; anything else that looks like a time and is none is another format.
      if (written !== undefined && Number.isNaN(header.time) && written !== '-') return undefined
      header.severity = undefined
      const word = level === 0 ? undefined : match[level]
      if (word !== undefined) header.severity = severityOfLevel(word)
      const number = priority === 0 ? undefined : match[priority]
      if (number !== undefined) header.severity = syslogSeverity(Number(number) & 7)
      const code = status === 0 ? undefined : match[status]
      if (code !== undefined) header.severity = severityOfStatus(code)
      header.repeatCount = isSyslog && line.includes('repeated') ? Number(repeated.exec(line)?.[1] ?? 1) : 1
      const wrapped = message === 0 ? undefined : match[message]
      if (inner && wrapped !== undefined) readInner(inner, wrapped, header)
      return format.name
    },
  }
}

/** What the wrapped line names and the wrapping one does not. */
export const readInner = (inner: LineReader, message: string, header: Header): void => {
  const { time, severity } = header
  if (inner.read(message, header) === undefined) {
    header.time = time
    header.severity = severity
    return
  }
  if (!Number.isNaN(time)) header.time = time
  header.severity = severity ?? header.severity
}

export const describePattern = (format: PatternFormat, firstLine: string): Description | undefined => {
  const groups = format.pattern.exec(firstLine)?.groups
  if (!groups) return undefined
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(groups)) {
    if (name !== 'time' && name !== 'message' && value !== undefined && value !== '') fields[name] = value.trim()
  }
  return {
    message: groups.message ?? firstLine,
    fields: Object.keys(fields).length > 0 ? fields : null,
    timestampRaw: groups.time ?? null,
  }
}
