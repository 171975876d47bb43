import { minutesOfAbbreviation, type Zone, zoneOf } from './zone.ts'

/** Pieces of a written time. Separators between pieces do not matter; a fraction and a zone may follow the seconds or the end. */
export const timePieces = [
  'year',
  'optionalYear',
  'shortYear',
  'anyYear',
  'month',
  'monthName',
  'day',
  'weekday',
  'hour',
  'minute',
  'second',
  'optionalSecond',
  'zone',
  'zoneMinutes',
  'utcAhead',
  'word',
  'compactDate',
  'compactTime',
] as const
export type TimePiece = (typeof timePieces)[number]

/**
 * Months as glibc and Java abbreviate them in the languages of Europe, and their whole names in English and German. Where two languages use
 * one word for two months, the language with more speakers counts.
 */
const monthNames: readonly string[] = [
  'jan january januar janv ene gen янв січ sty led oca tammi',
  'feb february februar févr fév fev febr фев февр лют lut úno şub helmi',
  'mar march märz mär mars mrz mrt márc мар март бер kwa bře maalis',
  'apr april avr abr ápr апр кві kwi dub nis huhti',
  'may mai mag mei maio maj máj май мая тра kvě touko',
  'jun june juni juin giu jún июн чер cze haz kesä',
  'jul july juli juil lug júl июл лип lip tem heinä',
  'aug august août aoû ago авг сер sie srp ağu elo',
  'sep september sept set szept сен сент вер wrz zář eyl syys',
  'oct october oktober okt ott out окт жов paź říj eki loka',
  'nov november ноя нояб лис kas marras lis',
  'dec december dezember déc dez dic des дек гру gru pro ara joulu',
]
const monthByName = new Map(
  monthNames.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
)
/** What follows the number of a month in Chinese, Japanese and Korean. */
const monthMark = /[月월]/

export const isDigit = (code: number) => code >= 48 && code <= 57
const isLetter = (code: number) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code >= 0xc0

/** What a written time says; `fraction` in milliseconds, `zone` in minutes ahead of UTC, `year` below zero where there is none. */
export type WrittenTime = {
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

const fullYear = (twoDigits: number): number => (twoDigits < 70 ? 2000 : 1900) + twoDigits

/** Names of places that zones are called by, as PHP writes them after a time. */
const placeName = /[A-Z][A-Za-z]*(?:\/[A-Z][\w+-]*){1,2}/y
const knownLogPaths = new Map<string, Zone | undefined>()
const maxKnownPlaces = 1_000

const zoneOfPlace = (name: string): Zone | undefined => {
  if (knownLogPaths.has(name) || knownLogPaths.size >= maxKnownPlaces) return knownLogPaths.get(name)
  const found = zoneOf(name)
  knownLogPaths.set(name, found)
  return found
}

/** Reads pieces one after the other from a text. All state is here, so that reading a time makes no object. */
export const createScanner = (pieces: readonly TimePiece[]) => {
  const fields: WrittenTime = {
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
  const number = (max: number): number => {
    let value = 0
    const start = at
    while (at < text.length && at - start < max) {
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
    // After a colon, they are milliseconds even where there are fewer than three digits.
    fields.fraction = mark === 58 ? value : value * 10 ** (3 - (at - start))
    while (isDigit(text.charCodeAt(at))) at++
  }
  const isSign = (code: number) => code === 43 || code === 45
  const offset = () => {
    const sign = text.charCodeAt(at++) === 45 ? -1 : 1
    const hours = number(2)
    if (text.charCodeAt(at) === 58) at++
    const minutes = Math.max(0, number(2))
    if (hours >= 0) fields.zone = (hours * 60 + minutes) * sign
  }
  const zone = () => {
    while (text.charCodeAt(at) === 32) at++
    const code = text.charCodeAt(at)
    if (isSign(code)) offset()
    else if (isLetter(code)) {
      const before = at
      const minutes = minutesOfAbbreviation(letters().toUpperCase())
      if (minutes === 0 && isSign(text.charCodeAt(at))) offset()
      else if (minutes !== undefined) fields.zone = minutes
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
  /** An optional signed number: the minutes by which UTC is ahead of the time. */
  const utcAhead = () => {
    const code = text.charCodeAt(at - 1)
    const minutes = isSign(code) ? number(4) : -1
    if (minutes >= 0) fields.zone = code === 45 ? minutes : -minutes
  }
  /** Skips separators before a zone; the sign of an offset is not a separator. */
  const skipUpToZone = () => {
    while (at < text.length && !isDigit(text.charCodeAt(at)) && !isLetter(text.charCodeAt(at))) {
      if (isSign(text.charCodeAt(at)) && isDigit(text.charCodeAt(at + 1))) return
      at++
    }
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
  const monthName = (): boolean => {
    if (isDigit(text.charCodeAt(at))) {
      fields.month = number(2)
      return monthMark.test(text.charAt(at++)) && fields.month >= 1
    }
    fields.month = monthByName.get(letters().toLowerCase()) ?? 0
    return fields.month >= 1
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
      fields.year = fullYear(value)
      return value >= 0
    },
    month: () => {
      fields.month = number(2)
      return fields.month >= 1
    },
    anyYear: () => {
      const start = at
      const value = number(4)
      fields.year = at - start === 2 ? fullYear(value) : value
      return at - start === 2 || at - start === 4
    },
    monthName,
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
    optionalSecond: () => {
      const value = number(2)
      fields.second = Math.max(0, value)
      if (value >= 0) fraction()
      noon()
      return true
    },
    zone: () => {
      skipUpToZone()
      zone()
      return true
    },
    zoneMinutes: () => {
      zoneMinutes()
      return true
    },
    utcAhead: () => {
      utcAhead()
      return true
    },
    word: () => letters() !== '',
    compactDate,
    compactTime,
  }
  const steps = pieces.map((piece) => {
    const readPiece = readers[piece]
    if (piece === 'zone') return readPiece
    return () => {
      skipSeparators()
      return readPiece()
    }
  })
  return {
    fields,
    read: (source: string): boolean => {
      text = source
      at = 0
      fields.year = -1
      fields.fraction = 0
      fields.zone = undefined
      fields.place = undefined
      for (const step of steps) if (!step()) return false
      if (fields.zone === undefined && fields.place === undefined) zone()
      return fields.hour < 25 && fields.minute < 60 && fields.second < 62
    },
  }
}
