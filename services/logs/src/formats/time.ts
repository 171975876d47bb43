import { minutesOfAbbreviation, type Zone, zoneOf } from './zone.ts'

/** Pieces of a written time. Separators between pieces do not matter; a fraction and a zone may follow the seconds or the end. */
export const timePieces = [
  'year',
  'optionalYear',
  'shortYear',
  'month',
  'monthName',
  'day',
  'weekday',
  'hour',
  'minute',
  'second',
  'zone',
  'zoneMinutes',
  'compactDate',
  'compactTime',
] as const
export type TimePiece = (typeof timePieces)[number]

/** How times are written, by the name that formats refer to. */
export const timeLayouts = {
  /** 2024-05-01 10:20:30, 2024-05-01T10:20:30.123456Z, 2024/05/01 10:20:30, 2005-06-03-15.42.50.675872 */
  iso: ['year', 'month', 'day', 'hour', 'minute', 'second'],
  /** Jun 14 15:16:01, Oct 11 2024 22:14:15, May 01, 2024 1:20:30 PM */
  syslog: ['monthName', 'day', 'optionalYear', 'hour', 'minute', 'second'],
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
  /** 081109 203615, 20120702.102240,672 */
  compact: ['compactDate', 'compactTime'],
  /** 2024-05-01-10.20.30.123456-300 */
  db2: ['year', 'month', 'day', 'hour', 'minute', 'second', 'zoneMinutes'],
  /** 20240102 15:04:05.678901 */
  compactDateClock: ['compactDate', 'hour', 'minute', 'second'],
} as const satisfies Record<string, readonly TimePiece[]>

/** A known way to write times, or pieces in their order. */
export type TimeLayout = keyof typeof timeLayouts | 'epoch' | 'moment' | 'tai64n' | 'timeOfDay' | readonly TimePiece[]

export type TimeContext = {
  /** For times that name no zone. */
  zone: Zone
  /** For times that name no year: the latest year in which the time is not after this moment (a day's grace). */
  reference: number
  /** The year that the first time without one is in; later ones go on to the next when the months start anew. */
  firstYear?: number | undefined
  /** For times of day: a moment of the day that a line of the file named last, NaN where none has. Followed line by line. */
  named?: { moment: number } | undefined
}

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

/** Months by their first letters in the languages that syslog is met in: English, German, French, Spanish, Italian, Portuguese, Dutch. */
const monthNames: readonly string[][] = [
  ['jan', 'ene', 'gen', 'janv'],
  ['feb', 'fév', 'févr', 'fev'],
  ['mar', 'mär', 'mrz', 'mars', 'mrt'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei', 'maio'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'août', 'aoû', 'ago'],
  ['sep', 'sept', 'set'],
  ['oct', 'okt', 'ott', 'out'],
  ['nov'],
  ['dec', 'déc', 'dez', 'dic'],
]
const monthByName = new Map(monthNames.flatMap((names, index) => names.map((name) => [name, index + 1] as const)))

const isDigit = (code: number) => code >= 48 && code <= 57
const isLetter = (code: number) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code >= 0xc0

type Fields = {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  fraction: number
  zone: number | undefined
  /** A zone by its place, `Europe/Berlin`. */
  place: Zone | undefined
}

/** Names of places that zones are called by, as PHP writes them after a time. */
const placeName = /[A-Z][A-Za-z]*(?:\/[A-Z][\w+-]*){1,2}/y
const knownPlaces = new Map<string, Zone | undefined>()
const mostKnownPlaces = 1_000

const zoneOfPlace = (name: string): Zone | undefined => {
  if (knownPlaces.has(name) || knownPlaces.size >= mostKnownPlaces) return knownPlaces.get(name)
  const found = zoneOf(name)
  knownPlaces.set(name, found)
  return found
}

/** Reads pieces one after the other from a text. All state is here, so that reading a time makes no object. */
const createScanner = (pieces: readonly TimePiece[]) => {
  const fields: Fields = {
    year: -1,
    month: 0,
    day: 0,
    hour: 0,
    minute: 0,
    second: 0,
    fraction: 0,
    zone: undefined,
    place: undefined,
  }
  let text = ''
  let at = 0

  const skipSeparators = () => {
    while (at < text.length && !isDigit(text.charCodeAt(at)) && !isLetter(text.charCodeAt(at))) at++
  }
  /** At most `most` digits; -1 when there are none. */
  const number = (most: number): number => {
    let value = 0
    const start = at
    while (at < text.length && at - start < most) {
      const digit = text.charCodeAt(at) - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      at++
    }
    return at === start ? -1 : value
  }
  const letters = (): string => {
    const start = at
    while (at < text.length && isLetter(text.charCodeAt(at))) at++
    return text.slice(start, at)
  }
  const fraction = () => {
    const mark = text.charCodeAt(at)
    if ((mark !== 46 && mark !== 44 && mark !== 58) || !isDigit(text.charCodeAt(at + 1))) return
    at++
    const start = at
    const value = number(3)
    fields.fraction = value * 10 ** (3 - (at - start))
    while (isDigit(text.charCodeAt(at))) at++
  }
  const zone = () => {
    while (text.charCodeAt(at) === 32) at++
    const code = text.charCodeAt(at)
    if (code === 43 || code === 45) {
      at++
      const hours = number(2)
      if (text.charCodeAt(at) === 58) at++
      const minutes = Math.max(0, number(2))
      if (hours >= 0) fields.zone = (hours * 60 + minutes) * (code === 45 ? -1 : 1)
    } else if (isLetter(code)) {
      const before = at
      const minutes = minutesOfAbbreviation(letters().toUpperCase())
      if (minutes !== undefined) fields.zone = minutes
      else if (text.charCodeAt(at) === 47) place(before)
      else at = before
    }
  }
  const place = (start: number) => {
    placeName.lastIndex = start
    const name = placeName.exec(text)?.[0]
    fields.place = name === undefined ? undefined : zoneOfPlace(name)
    at = fields.place === undefined || name === undefined ? start : start + name.length
  }
  /** An offset that is all minutes: -300 is five hours behind. */
  const zoneMinutes = () => {
    const code = text.charCodeAt(at - 1)
    const minutes = number(3)
    if (minutes >= 0) fields.zone = code === 45 ? -minutes : minutes
  }
  const noon = () => {
    while (text.charCodeAt(at) === 32) at++
    const half = text.charCodeAt(at) | 32
    if ((half !== 97 && half !== 112) || (text.charCodeAt(at + 1) | 32) !== 109) return
    // America, too, begins so.
    if (isLetter(text.charCodeAt(at + 2))) return
    at += 2
    if (half === 112 && fields.hour < 12) fields.hour += 12
    if (half === 97 && fields.hour === 12) fields.hour = 0
  }
  const compactDate = (): boolean => {
    const start = at
    const value = number(8)
    if (at - start !== 6 && at - start !== 8) return false
    const year = Math.floor(value / 10_000)
    fields.year = at - start === 6 ? 2000 + year : year
    fields.month = Math.floor(value / 100) % 100
    fields.day = value % 100
    return true
  }
  const compactTime = (): boolean => {
    if ((text.charCodeAt(at) | 32) === 116) at++
    const value = number(6)
    fields.hour = Math.floor(value / 10_000)
    fields.minute = Math.floor(value / 100) % 100
    fields.second = value % 100
    fraction()
    return value >= 0
  }
  const readers: Record<TimePiece, () => boolean> = {
    year: () => {
      fields.year = number(4)
      return fields.year >= 1000
    },
    optionalYear: () => {
      const start = at
      const value = number(4)
      if (at - start === 4) fields.year = value
      else at = start
      return true
    },
    shortYear: () => {
      const value = number(2)
      fields.year = value < 70 ? 2000 + value : 1900 + value
      return value >= 0
    },
    month: () => {
      fields.month = number(2)
      return fields.month >= 1
    },
    monthName: () => {
      fields.month = monthByName.get(letters().toLowerCase()) ?? 0
      return fields.month >= 1
    },
    day: () => {
      fields.day = number(2)
      return fields.day >= 1
    },
    weekday: () => letters().length >= 2,
    hour: () => {
      // The T between date and time is the one letter that separates.
      if ((text.charCodeAt(at) | 32) === 116) at++
      fields.hour = number(2)
      return fields.hour >= 0
    },
    minute: () => {
      fields.minute = number(2)
      return fields.minute >= 0
    },
    second: () => {
      fields.second = number(2)
      fraction()
      noon()
      return fields.second >= 0
    },
    zone: () => {
      zone()
      return true
    },
    zoneMinutes: () => {
      zoneMinutes()
      return true
    },
    compactDate,
    compactTime,
  }
  const steps = pieces.map((piece) => readers[piece])
  return {
    fields,
    read: (source: string): boolean => {
      text = source
      at = 0
      fields.year = -1
      fields.fraction = 0
      fields.zone = undefined
      fields.place = undefined
      for (const step of steps) {
        skipSeparators()
        if (!step()) return false
      }
      if (fields.zone === undefined && fields.place === undefined) zone()
      return fields.hour < 25 && fields.minute < 60 && fields.second < 62
    },
  }
}

/** Where a year has to be guessed: see TimeContext. */
const createYearGuess = ({ reference, firstYear }: TimeContext) => {
  let year = firstYear
  let lastMonth = 0
  return (month: number, dayOfMonth: number): number => {
    if (year !== undefined) {
      if (lastMonth - month >= 6) year++
      lastMonth = month
      return year
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
  if (size < 1e11) return Math.round(value * 1000)
  if (size < 1e14) return Math.floor(value)
  return size < 1e17 ? Math.floor(value / 1000) : Math.floor(value / 1e6)
}

/** TAI64N labels (D. J. Bernstein, https://cr.yp.to/libtai/tai64.html), taken as multilog writes them: ten seconds ahead of UTC. */
const readTai64n = (text: string): number => {
  const hex = text.startsWith('@') ? text.slice(1) : text
  const seconds = Number.parseInt(hex.slice(1, 16), 16)
  const nanoseconds = hex.length >= 24 ? Number.parseInt(hex.slice(16, 24), 16) : 0
  return hex.startsWith('4') ? (seconds - 10) * 1000 + Math.floor(nanoseconds / 1e6) : Number.NaN
}

const quarterHour = 900_000
/** A line is written within so short a time of what it tells of that no zone can be between them. */
const mostDelay = 60_000

/**
 * The moment of a line that names it beside what a local clock showed. Zones are whole quarters of an hour, so that both tell the zone, and
 * the clock's fraction of a second is kept; where the rest between them is more than a delay, the named moment is all that is sure.
 */
export const atInstant = (local: number, instant: number): number => {
  if (Number.isNaN(instant)) return local
  const apart = Math.round((local - instant) / quarterHour) * quarterHour
  return Math.abs(local - apart - instant) <= mostDelay ? local - apart : instant
}

/** An epoch, a time that begins with its year, or one that begins with a month's name. */
const createMomentReader = (context: TimeContext): TimeReader => {
  const readIso = createTimeReader('iso', context)
  const readMonthFirst = createTimeReader('syslog', context)
  return (text) => {
    if (/^\d{10,}(?:\.\d+)?$/.test(text)) return readEpoch(text)
    return isDigit(text.charCodeAt(0)) ? readIso(text) : readMonthFirst(text)
  }
}

const createTimeOfDayReader = ({ zone, named }: TimeContext): TimeReader => {
  const { fields, read } = createScanner(['hour', 'minute', 'second'])
  return (text) => {
    const moment = named?.moment ?? Number.NaN
    if (Number.isNaN(moment) || !read(text)) return Number.NaN
    const midnight = Math.floor((moment + zone(moment)) / day) * day
    const local = midnight + fields.hour * 3_600_000 + fields.minute * 60_000 + fields.second * 1000 + fields.fraction
    return local - zone(local)
  }
}

export const createTimeReader = (layout: TimeLayout, context: TimeContext): TimeReader => {
  if (layout === 'timeOfDay') return createTimeOfDayReader(context)
  if (layout === 'moment') return createMomentReader(context)
  if (layout === 'epoch') return readEpoch
  if (layout === 'tai64n') return readTai64n
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
    const local = dateTime + fields.hour * 3_600_000 + fields.minute * 60_000 + fields.second * 1000 + fields.fraction
    return local - (fields.zone === undefined ? (fields.place ?? context.zone)(local) : fields.zone * 60_000)
  }
  return (text) => {
    if (text === lastText) return lastTime
    lastText = text
    lastTime = parse(text)
    return lastTime
  }
}
