import { createScanner, type TimePiece, type WrittenTime } from './time-scanner.ts'
import type { Zone } from './zone.ts'

/** How times are written, by the name that formats refer to. */
export const timeLayouts = {
  /** 2024-05-01 10:20:30, 2024-05-01T10:20:30.123456Z, 2024/05/01 10:20:30, 2005-06-03-15.42.50.675872 */
  iso: ['year', 'month', 'day', 'hour', 'minute', 'second'],
  /** Jun 14 15:16:01, Oct 11 2024 22:14:15, May 01, 2024 1:20:30 PM, Aug 24 05:34:00 CST 1987 */
  syslog: ['monthName', 'day', 'optionalYear', 'hour', 'minute', 'second', 'zone', 'optionalYear'],
  /** Jul 14 2023 08:23:43.398 UTC, 2024 Aug 27 21:40:50 PDT */
  cisco: ['optionalYear', 'monthName', 'day', 'optionalYear', 'hour', 'minute', 'second'],
  /** Sun Dec 04 04:47:44 2005, with a fraction or a zone ahead of the year, too */
  asctime: ['weekday', 'monthName', 'day', 'hour', 'minute', 'second', 'zone', 'year'],
  /** 15/Feb/2013:06:00:31 +0000, 19-Oct-2022 05:34:02.425, 01 May 10:20:30.123 */
  clf: ['day', 'monthName', 'optionalYear', 'hour', 'minute', 'second'],
  /** 0102 15:04:05.678901 */
  klog: ['month', 'day', 'hour', 'minute', 'second'],
  /** 17/06/09 20:10:40 */
  shortYearFirst: ['shortYear', 'month', 'day', 'hour', 'minute', 'second'],
  /** 01/25/22 16:08:02.393003 */
  american: ['month', 'day', 'shortYear', 'hour', 'minute', 'second'],
  /** 08/02/2023, 7:32:47 PM */
  americanYear: ['month', 'day', 'year', 'hour', 'minute', 'second'],
  /** 03.02.2025 04:05:06, 03.02.25 */
  dotted: ['day', 'month', 'anyYear', 'hour', 'minute', 'second'],
  /** 081109 203615, 20120702.102240,672 */
  compact: ['compactDate', 'compactTime'],
  /** 2024-05-01-10.20.30.123456-300 */
  db2: ['year', 'month', 'day', 'hour', 'minute', 'second', 'zoneMinutes'],
  /** 20240102 15:04:05.678901 */
  compactDateClock: ['compactDate', 'hour', 'minute', 'second'],
} as const satisfies Record<string, readonly TimePiece[]>

/** A known way to write times, or pieces in their order. */
export type TimeLayout =
  | keyof typeof timeLayouts
  | 'epoch'
  | 'moment'
  | 'tai64n'
  | 'hexEpoch'
  | 'timeOfDay'
  | 'numericDate'
  | 'numericMoment'
  | 'monthFirstDate'
  | readonly TimePiece[]

/** The order of the numbers in a file's dates, as far as its lines have determined it. */
export type DateOrder = { isDayFirst: boolean | undefined; isYearFirst?: boolean | undefined }

export type TimeContext = {
  /** For times that name no zone. */
  zone: Zone
  /** For times that name no year: the latest year in which the time is not after this moment (a day's grace). */
  reference: number
  /** The year that the first time without one is in; later ones go on to the next when the months start anew. */
  firstYear?: number | undefined
  /** For times of day: a moment of the day that a line of the file named last, NaN where none has. Followed line by line. */
  named?: { moment: number } | undefined
  /** Shown by a number past 12, for all lines of the file. Followed line by line. */
  dateOrder?: DateOrder
  /** How far the lines of the file have gone from `firstYear`, whatever their formats. */
  followed?: FollowedYear
}

/** The year that a file is in, and the month and the day of its last time without a year; month 0 before the first one. */
export type FollowedYear = { year: number | undefined; month: number; day: number }

export const startYear = (firstYear: number | undefined): FollowedYear => ({ year: firstYear, month: 0, day: 0 })

/** Gives epoch milliseconds, or NaN for what is no time. Keeps what it needs to follow a file through the turn of a year. */
export type TimeReader = (text: string) => number

const day = 86_400_000

/** Days from 1970-01-01 of a date in the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date algorithms"). */
const daysOf = (year: number, month: number, dayOfMonth: number): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isDate = (year: number, month: number, dayOfMonth: number): boolean =>
  month >= 1 &&
  month <= 12 &&
  dayOfMonth >= 1 &&
  dayOfMonth <= (monthLengths[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0)

/** Where a year has to be guessed: see TimeContext. */
const createYearGuess = ({ reference, firstYear, followed = startYear(firstYear) }: TimeContext) => {
  return (month: number, dayOfMonth: number): number => {
    if (followed.year !== undefined) {
      // A line that comes late does not begin another year.
      const isLate = month === 12 && dayOfMonth >= 30 && followed.month === 1 && followed.day <= 2
      if (isLate && followed.year !== firstYear) return followed.year - 1
      if (followed.month - month >= 6) followed.year++
      Object.assign(followed, { month, day: dayOfMonth })
      return followed.year
    }
    const latest = new Date(reference + day).getUTCFullYear()
    for (let candidate = latest; candidate > latest - 9; candidate--) {
      if (isDate(candidate, month, dayOfMonth) && daysOf(candidate, month, dayOfMonth) * day <= reference + day)
        return candidate
    }
    return latest
  }
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size; a fraction of seconds is read, too. */
export const readEpoch = (text: string): number => (text === '' ? Number.NaN : epochMilliseconds(Number(text)))

export const epochMilliseconds = (value: number): number => {
  const size = Math.abs(value)
  if (!(size >= 1e8 && size < 1e20)) return Number.NaN
  // By way of microseconds, which a number of this size still holds: what is finer is cut off, as it is of times that are written out.
  if (size < 1e11) return Math.floor(Math.round(value * 1e6) / 1000)
  if (size < 1e14) return Math.floor(value)
  return Math.floor((size < 1e17 ? value : Math.round(value / 1000)) / 1000)
}

/** TAI64N labels (D. J. Bernstein, https://cr.yp.to/libtai/tai64.html), taken as multilog writes them: ten seconds ahead of UTC. */
const readTai64n = (text: string): number => {
  const hex = text.startsWith('@') ? text.slice(1) : text
  const seconds = Number.parseInt(hex.slice(1, 16), 16)
  const nanoseconds = hex.length >= 24 ? Number.parseInt(hex.slice(16, 24), 16) : 0
  return hex.startsWith('4') ? (seconds - 10) * 1000 + Math.floor(nanoseconds / 1e6) : Number.NaN
}

/** Hexadecimal seconds since 1970, optionally with hexadecimal nanoseconds after a point: OpenLDAP. */
const readHexEpoch = (text: string): number => {
  const [seconds = '', nanoseconds = '0'] = text.split('.')
  return Number.parseInt(seconds, 16) * 1000 + Math.floor(Number.parseInt(nanoseconds, 16) / 1e6)
}

const quarterHour = 900_000
/** A line is written within so short a time of what it tells of that no zone can be between them. */
const maxDelay = 60_000

/**
 * The moment of a line that names it beside what a local clock showed. Zones are whole quarters of an hour, so that both tell the zone, and
 * the clock's fraction of a second is kept; where the rest between them is more than a delay, the named moment is all that is sure.
 */
export const atInstant = (local: number, instant: number): number => {
  if (Number.isNaN(instant)) return local
  const apart = Math.round((local - instant) / quarterHour) * quarterHour
  return Math.abs(local - apart - instant) <= maxDelay ? local - apart : instant
}

/** How a time begins that is none of an epoch and does not begin with its year. */
const momentLayouts: readonly (readonly [RegExp, TimeLayout])[] = [
  [/^\d{1,2}[ /-]\p{L}/u, 'clf'],
  [/^\d{1,2}\.\d{1,2}\./, 'dotted'],
  [/^\d{2}-\d{2} \d/, 'klog'],
  [/^\p{L}{2,9},? \p{L}{3,9} \d/u, 'asctime'],
  [/^\p{L}{2,9}, \d/u, ['weekday', 'day', 'monthName', 'year', 'hour', 'minute', 'second']],
  [/^\p{L}/u, 'syslog'],
]

const numericBeginning = /^\d{1,2}[/-]\d{1,2}[/-]/

/** An epoch, or a time that is written in one of the usual ways: with its year first, with a month's name, or in numbers. */
const createMomentReader = (context: TimeContext, numeric: 'monthFirstDate' | 'numericDate'): TimeReader => {
  const readIso = createTimeReader('iso', context)
  const layouts = [[numericBeginning, numeric] as const, ...momentLayouts]
  const others = layouts.map(([begins, layout]) => ({ begins, read: createTimeReader(layout, context) }))
  return (text) => {
    if (/^\d{10,}(?:\.\d+)?$/.test(text)) return readEpoch(text)
    const other = /^\d{4}/.test(text) ? undefined : others.find(({ begins }) => begins.test(text))
    return (other?.read ?? readIso)(text)
  }
}

const dayFirstPieces: readonly TimePiece[] = ['day', 'month', 'anyYear', 'hour', 'minute', 'second']
const monthFirstPieces: readonly TimePiece[] = ['month', 'day', 'anyYear', 'hour', 'minute', 'second']
const yearFirstPieces: readonly TimePiece[] = ['shortYear', 'month', 'day', 'hour', 'minute', 'second']
const firstNumbers = /^(\d{1,2})\D(\d{1,2})\D/
const shortDate = /^(\d{2})\D(\d{2})\D(\d{2})(?!\d)/

/**
 * Whether a date of three two-digit numbers begins with its year: true if that reading is years nearer to the reference than a year at the end,
 * or if a year at the end would be in the future. undefined if both readings are equally likely.
 */
const beginsWithYear = ([first, second, third]: readonly number[], reference: number): boolean | undefined => {
  const year = new Date(reference + day).getUTCFullYear() - 2000
  const age = (of = 0) => (of > year ? Number.POSITIVE_INFINITY : year - of)
  const ageAsFirst = second !== undefined && second <= 12 ? age(first) : Number.POSITIVE_INFINITY
  const ageAsLast = first !== undefined && first <= 31 ? age(third) : Number.POSITIVE_INFINITY
  if (ageAsFirst === ageAsLast || Math.abs(ageAsFirst - ageAsLast) <= 1) return undefined
  return ageAsFirst < ageAsLast
}

/**
 * A date of which two numbers come before the year: one past 12 is the day, in this line and in the others of its file. Before a line has
 * shown it, `isDayFirst` is assumed; NaN where that is undefined, too.
 */
const createNumericDateReader = (context: TimeContext, isDayFirst: boolean | undefined): TimeReader => {
  const readDayFirst = createTimeReader(dayFirstPieces, context)
  const readMonthFirst = createTimeReader(monthFirstPieces, context)
  const readYearFirst = createTimeReader(yearFirstPieces, context)
  return (text) => {
    const [, first, second] = firstNumbers.exec(text) ?? []
    const dateOrder: DateOrder = context.dateOrder ?? { isDayFirst: undefined }
    const short = shortDate.exec(text)
    if (short) {
      dateOrder.isYearFirst ??= beginsWithYear(short.slice(1).map(Number), context.reference)
      if (dateOrder.isYearFirst === true) return readYearFirst(text)
      // With slashes the year is rarely first.
      if (dateOrder.isYearFirst === undefined && !text.includes('/')) return Number.NaN
    }
    if (Number(first) > 12) dateOrder.isDayFirst = true
    else if (Number(second) > 12) dateOrder.isDayFirst = false
    const isDay = dateOrder.isDayFirst ?? isDayFirst
    if (isDay === undefined) return Number.NaN
    return isDay ? readDayFirst(text) : readMonthFirst(text)
  }
}

/** A time whose year was guessed, in the year that brings it within two days of one whose year is written; as it is where none does. */
export const inYearOf = (guessed: number, written: number): number => {
  const date = new Date(guessed)
  const years = new Date(written).getUTCFullYear() - date.getUTCFullYear()
  const candidates = [years, years - 1, years + 1].map((by) =>
    new Date(guessed).setUTCFullYear(date.getUTCFullYear() + by),
  )
  return candidates.find((candidate) => Math.abs(candidate - written) <= 2 * day) ?? guessed
}

/** Milliseconds since midnight. */
const sinceMidnight = ({ hour, minute, second, fraction }: WrittenTime): number =>
  hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction

const createTimeOfDayReader = ({ zone, named }: TimeContext): TimeReader => {
  const { fields, read } = createScanner(['hour', 'minute', 'second'])
  return (text) => {
    const moment = named?.moment ?? Number.NaN
    if (Number.isNaN(moment) || !read(text)) return Number.NaN
    const midnight = Math.floor((moment + zone(moment)) / day) * day
    const local = midnight + sinceMidnight(fields)
    return local - zone(local)
  }
}

export const createTimeReader = (layout: TimeLayout, context: TimeContext): TimeReader => {
  if (layout === 'timeOfDay') return createTimeOfDayReader(context)
  if (layout === 'moment') return createMomentReader(context, 'monthFirstDate')
  if (layout === 'numericMoment') return createMomentReader(context, 'numericDate')
  if (layout === 'numericDate') return createNumericDateReader(context, undefined)
  if (layout === 'monthFirstDate') return createNumericDateReader(context, false)
  if (layout === 'epoch') return readEpoch
  if (layout === 'tai64n') return readTai64n
  if (layout === 'hexEpoch') return readHexEpoch
  const { fields, read } = createScanner(typeof layout === 'string' ? timeLayouts[layout] : layout)
  const guessYear = createYearGuess(context)
  let dateKey = -1
  let dateTime = 0
  let lastText = ''
  let lastTime = Number.NaN

  const parse = (text: string): number => {
    if (!read(text)) return Number.NaN
    const year = fields.year >= 0 ? fields.year : guessYear(fields.month, fields.day)
    const key = year * 512 + fields.month * 32 + fields.day
    if (key !== dateKey) {
      if (!isDate(year, fields.month, fields.day)) return Number.NaN
      dateKey = key
      dateTime = daysOf(year, fields.month, fields.day) * day
    }
    const local = dateTime + sinceMidnight(fields)
    return local - (fields.zone === undefined ? (fields.place ?? context.zone)(local) : fields.zone * 60_000)
  }
  return (text) => {
    if (text === lastText) return lastTime
    lastText = text
    lastTime = parse(text)
    return lastTime
  }
}
