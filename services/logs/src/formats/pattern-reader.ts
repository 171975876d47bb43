import { firstCharactersOf, mayStart } from './first-character.ts'
import type { PatternFormat } from './format.ts'
import { type Header, type LineReader, lineEnd, setMessage } from './header.ts'
import { severityOfStatus, severityOfWord, syslogSeverity } from './levels.ts'
import { type Matcher, matcherOf } from './matcher.ts'
import { atInstant, createTimeReader, inYearOf, type TimeContext } from './time.ts'

const headerGroups = ['time', 'instant', 'level', 'priority', 'status'] as const
type HeaderGroup = (typeof headerGroups)[number]

const groupStart = /\(\?<([a-z_]\w*)>/gi
const messageAtEnd = '(?<message>.*)'

/** `endsBeforeMessage`: what it matches is all that stands before the message, which was left out of it. */
type HeaderPattern = {
  pattern: Matcher
  places: Partial<Record<HeaderGroup | 'message', number>>
  endsBeforeMessage: boolean
}

/** The pattern with only those groups that the header needs: what is not captured costs nothing. */
const createHeaderPattern = (format: PatternFormat): HeaderPattern => {
  const source = format.pattern.source
  const keepsMessage = format.wraps === true
  const endsBeforeMessage = !keepsMessage && source.endsWith(messageAtEnd)
  const start = endsBeforeMessage ? source.slice(0, -messageAtEnd.length) : source
  const places: Partial<Record<HeaderGroup | 'message', number>> = {}
  let captured = 0
  const reduced = start.replace(groupStart, (whole, name: string) => {
    const group = [...headerGroups, ...(endsBeforeMessage ? [] : (['message'] as const))].find(
      (wanted) => wanted === name,
    )
    // A group that the pattern refers back to stays, whatever it is for.
    if (!group && !source.includes(`\\k<${name}>`)) return '(?:'
    captured++
    if (group) places[group] = captured
    return whole
  })
  return { pattern: matcherOf(format, new RegExp(reduced, format.pattern.flags)), places, endsBeforeMessage }
}

/** Every file has readers of its own, with patterns that all of them share. */
const headerPatterns = new WeakMap<PatternFormat, HeaderPattern>()

const headerPattern = (format: PatternFormat): HeaderPattern => {
  const known = headerPatterns.get(format)
  if (known) return known
  const made = createHeaderPattern(format)
  headerPatterns.set(format, made)
  return made
}

/** A header that is not in so many characters is none: patterns do not walk through megabytes. */
const headerCharacters = 16_384

export const headOf = (line: string): string =>
  line.length > headerCharacters ? line.slice(0, headerCharacters) : line

/** syslogd counts what it does not write again. */
const repeated = /\b(?:last )?message repeated (\d{1,9}) times?\b/

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isDigit = (code: number) => code >= 48 && code <= 57
const equals = 61
const colon = 58
const longestKey = 24

/** Whether what begins with a letter may be key=value pairs, the level and date of klog, or `CEF:0|`. By hand: every line of syslog comes here. */
const beginsWithPair = (line: string, at: number): boolean => {
  for (let place = at + 1; place < at + longestKey; place++) {
    const code = line.charCodeAt(place)
    if (code === equals) return true
    if (code === colon) return isDigit(line.charCodeAt(place + 1))
    if (isLetter(code) || code === 95) continue
    return isDigit(code) && place === at + 1
  }
  return false
}

/** How lines begin that a message may be: an object, a bracket, a digit of a time or an address, or a pair. */
const beginsLikeLine = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at)
  return code === 123 || code === 91 || isDigit(code) || (isLetter(code) && beginsWithPair(line, at))
}

/**
 * What a program writes of its own line is nearer to the truth than the priority that it, or its container's engine, sends everything with;
 * and a year that it writes than one that was guessed.
 */
const readCarried = (inner: LineReader, line: string, header: Header, lacksYear: boolean): void => {
  const { severity, messageStart, time } = header
  header.severity = undefined
  header.time = Number.NaN
  readInner(inner, line.slice(messageStart), header, messageStart)
  if (!Number.isNaN(time)) header.time = lacksYear && !Number.isNaN(header.time) ? inYearOf(time, header.time) : time
  header.severity ??= severity
}

const writtenYear = /\d{4}/

const prepareReader = (format: PatternFormat, context: TimeContext, inner?: LineReader): LineReader => {
  const { pattern, places, endsBeforeMessage } = headerPattern(format)
  const readTime = format.time ? createTimeReader(format.time, context) : undefined
  const readMoment = createTimeReader('moment', context)
  const named = format.namesDay === true ? context.named : undefined
  const first = firstCharactersOf(format.pattern)
  const wraps = format.wraps === true
  const isSyslog = format.name.startsWith('syslog')
  const { time = 0, instant = 0, level = 0, priority = 0, status = 0, message = 0 } = places
  return {
    read: (line, header) => {
      if (!mayStart(first, line)) return undefined
      if (format.contains !== undefined && !line.includes(format.contains)) return undefined
      const match = pattern.exec(wraps ? line : headOf(line))
      if (!match) return undefined
      const written = time === 0 ? undefined : match[time]
      header.time = readTime && written !== undefined ? readTime(written) : Number.NaN
      // A nil time is allowed to RFC 5424; anything else that looks like a time and is none is another format.
      if (written !== undefined && Number.isNaN(header.time) && written !== '-') return undefined
      const moment = instant === 0 ? undefined : match[instant]
      if (moment !== undefined) header.time = atInstant(header.time, readMoment(moment))
      if (named && !Number.isNaN(header.time)) named.moment = header.time
      header.severity = format.quotes === true ? 0 : undefined
      const word = level === 0 ? undefined : match[level]
      if (word !== undefined) header.severity = severityOfWord(word, format.levels)
      const number = priority === 0 ? undefined : match[priority]
      if (number !== undefined) header.severity = syslogSeverity(Number(number) & 7)
      const code = status === 0 ? undefined : match[status]
      if (code !== undefined) header.severity = severityOfStatus(code)
      header.repeatCount = isSyslog && line.includes('repeated') ? Number(repeated.exec(line)?.[1] ?? 1) : 1
      const found = message === 0 ? undefined : match[message]
      const messageStart = endsBeforeMessage
        ? (match[0] ?? '').length
        : found === undefined
          ? 0
          : line.lastIndexOf(found)
      if (inner && found !== undefined && number === undefined) readInner(inner, found, header, messageStart)
      else {
        setMessage(header, messageStart, found === undefined ? lineEnd : messageStart + found.length)
        if (inner && (wraps || (endsBeforeMessage && beginsLikeLine(line, messageStart))))
          readCarried(inner, line, header, written !== undefined && !writtenYear.test(written))
      }
      return format.name
    },
  }
}

/**
 * `inner` reads the message of a format that wraps or carries others. The reader is prepared for the first line that comes to it: each push has
 * one of every format, and most of them never see a line.
 */
export const createPatternReader = (format: PatternFormat, context: TimeContext, inner?: LineReader): LineReader => {
  let prepared: LineReader | undefined
  return {
    read: (line, header) => {
      prepared ??= prepareReader(format, context, inner)
      return prepared.read(line, header)
    },
  }
}

/** What the wrapped line names and the wrapping one does not; it begins at `start` in the wrapping one. */
export const readInner = (inner: LineReader, message: string, header: Header, start: number): void => {
  const { time, severity } = header
  if (inner.read(message, header) === undefined) {
    header.time = time
    header.severity = severity
    setMessage(header, start, start + message.length)
    header.wrapped = message
    header.isBare = true
    return
  }
  header.wrapped = message
  header.isBare = false
  setMessage(header, start + header.messageStart, start + Math.min(header.messageEnd, message.length))
  if (!Number.isNaN(time)) header.time = time
  header.severity = severity ?? header.severity
}
