import { exactJson } from '../parsed-json.ts'
import type { JsonFormat } from './format.ts'
import { type Description, type Header, type LineReader, lineEnd, setMessage } from './header.ts'
import { severityOfNumber, severityOfStatus, severityOfWord, worseOf } from './levels.ts'
import { readInner } from './pattern-reader.ts'
import { createTimeReader, epochMilliseconds, readEpoch, type TimeContext } from './time.ts'

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** A value by a dotted path; a key that has the dots itself comes first. */
const valueAt = (object: JsonObject, path: string): unknown => {
  if (path in object) return object[path]
  if (!path.includes('.')) return undefined
  let value: unknown = object
  for (const key of path.split('.')) {
    if (!isObject(value)) return undefined
    value = value[key]
  }
  return value
}

/** A time as an object: of MongoDB, of Protocol Buffers, of Log4j. */
const isMoment = (value: JsonObject): boolean => '$date' in value || 'seconds' in value || 'epochSecond' in value

const firstAt = (object: JsonObject, paths: readonly string[]): unknown => {
  for (const path of paths) {
    const value = path.includes('.') ? valueAt(object, path) : object[path]
    if (value !== undefined && value !== null && (!isObject(value) || isMoment(value))) return value
  }
  return undefined
}

const maxInside = 20

const isPlainObject = (value: unknown): value is JsonObject => isObject(value) && !Array.isArray(value)

/** The object and, if the format looks inside, its nested objects. */
const placesIn = (object: JsonObject, { looksInside }: JsonFormat): readonly JsonObject[] =>
  looksInside === true ? [object, ...Object.values(object).filter(isPlainObject).slice(0, maxInside)] : [object]

/** The first value at one of the paths, in the first object that has one. */
const firstIn = (places: readonly JsonObject[], paths: readonly string[]): unknown => {
  for (const place of places) {
    const value = firstAt(place, paths)
    if (value !== undefined) return value
  }
  return undefined
}

/** How each line begins that is a JSON object. */
export const startsLikeObject = /^\{/

/** The object of a line, or undefined for what is no JSON object. An array with an object on each line has commas after them. */
export const parseJsonLine = (line: string, parse: (text: string) => unknown = JSON.parse): JsonObject | undefined => {
  if (line.charCodeAt(0) !== 123) return undefined
  const trimmed = line.trimEnd()
  const written = trimmed.endsWith('},') ? trimmed.slice(0, -1) : trimmed
  if (!written.endsWith('}')) return undefined
  try {
    const value = parse(written)
    return isObject(value) && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const conventionOf = (formats: readonly JsonFormat[], object: JsonObject): JsonFormat | undefined =>
  formats.find(
    ({ requires, matches }) =>
      requires.every((path) => valueAt(object, path) !== undefined) &&
      (matches === undefined ||
        Object.entries(matches).every(([path, shape]) => shape.test(String(valueAt(object, path))))),
  )

/** Of nanoseconds that stand beside whole seconds; 0 for what is no number. */
const milliseconds = (nanoseconds: unknown): number => Math.floor((Number(nanoseconds) || 0) / 1e6)

const numeric = /^\d+(?:\.\d+)?$/
/** The time of an audit event, before the event's number. */
const auditTime = /^\d{10}\.\d{3}(?=:\d+$)/

const severityOf = (format: JsonFormat, level: unknown): number | undefined => {
  if (format.levels?.has(String(level).toLowerCase())) return severityOfWord(String(level), format.levels)
  const number =
    typeof level === 'number' ? level : typeof level === 'string' && numeric.test(level) ? Number(level) : undefined
  if (number === undefined) return typeof level === 'string' ? severityOfWord(level, format.levels) : undefined
  if (format.numbers) return severityOfNumber(format.numbers, number)
  // A number without a convention is only sure where it is one of Pino's tens: Monolog and Log4j count in hundreds, in opposite directions.
  return number >= 10 && number < 100 && number % 10 === 0 ? severityOfNumber('pino', number) : undefined
}

const isUnsure = ({ unsure }: JsonFormat, object: JsonObject): boolean =>
  unsure !== undefined && Object.entries(unsure).every(([key, value]) => object[key] === value)

/** Reads lines that are a JSON object, each by the first convention that fits. */
export const createJsonReader = (
  formats: readonly JsonFormat[],
  context: TimeContext,
  inner: LineReader,
): LineReader => {
  const readMoment = createTimeReader('moment', context)
  const timeOf = (value: unknown): number => {
    if (typeof value === 'number') return epochMilliseconds(value)
    if (isObject(value)) {
      const { $date, seconds = value.epochSecond, nanos = value.nanoOfSecond } = value
      return seconds === undefined ? timeOf($date) : timeOf(seconds) + milliseconds(nanos)
    }
    if (typeof value !== 'string') return Number.NaN
    const epoch = numeric.test(value) ? value : auditTime.exec(value)?.[0]
    return epoch === undefined ? readMoment(value) : readEpoch(epoch)
  }
  /** Looks for the message as it is written in the line; one that is escaped in another way is not found, and the line is its message. */
  const readMessage = (format: JsonFormat, line: string, message: string, header: Header) => {
    const written = JSON.stringify(message).slice(1, -1)
    const start = line.indexOf(`"${written}`) + 1
    if (format.wraps === true) readInner(inner, message, header, start)
    else setMessage(header, start, start + written.length)
    if (start === 0) setMessage(header, 0, lineEnd)
  }
  return {
    read: (line, header) => {
      const object = parseJsonLine(line)
      const format = object && conventionOf(formats, object)
      if (!object || !format) return undefined
      const places = placesIn(object, format)
      header.time = timeOf(firstIn(places, format.time))
      if (object.timestampNanos !== undefined) header.time += milliseconds(object.timestampNanos)
      const level = isUnsure(format, object) ? undefined : severityOf(format, firstIn(places, format.level))
      const status = format.status && firstAt(object, format.status)
      header.severity =
        status === undefined || status === null ? level : worseOf(level ?? 0, severityOfStatus(String(status)))
      header.repeatCount = 1
      const message = firstIn(places, format.message)
      if (typeof message === 'string') readMessage(format, line, message.trimEnd(), header)
      else setMessage(header, 0, lineEnd)
      return format.name
    },
  }
}

export const describeJson = (format: JsonFormat, firstLine: string): Description | undefined => {
  const object = parseJsonLine(firstLine, exactJson)
  if (!object) return undefined
  const places = placesIn(object, format)
  const message = firstIn(places, format.message)
  const time = firstIn(places, format.time)
  return {
    message: typeof message === 'string' ? message : firstLine,
    fields: object,
    timestampRaw: time === undefined ? null : isObject(time) ? String(time.$date) : String(time),
  }
}
