import { type Zone, zoneOf } from '../formats/zone.ts'

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export type Clock = { now: number; zone: Zone }

/**
 * A moment as read from its words; each part is only set if the words contain it. Days are local milliseconds as if they were UTC; hours count from
 * the start of the day, and a time of day has equal start and end.
 */
export type Moment = {
  day?: { from: number; to: number; repeatsAfter: number }
  hours?: readonly [number, number]
  /** Whether the hour (up to 12) may be in either half of the day. */
  isOpen?: boolean
  /** An instant relative to now, and its uncertainty in milliseconds. */
  point?: { time: number; spread: number }
  /** The zone of the time of day, if the text contains one. */
  zone?: Zone
}

const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const few = 3

/** Parts of a day, as hours from its start. */
const dayParts: Record<string, readonly [number, number]> = {
  morning: [5, 12],
  afternoon: [12, 18],
  evening: [17, 23],
  tonight: [18, 24],
  night: [20, 30],
}

const units: Record<string, number> = { s: second, h: hour, d: day, w: 7 * day, y: 365 * day }
const unitOf = (name: string): number =>
  /^mo/i.test(name) ? 30 * day : (units[name[0]?.toLowerCase() ?? ''] ?? minute)

const longUnit = '(?:second|sec|minute|min|hour|hr|day|week|month|year)s?'
const count = String.raw`(?:\d{1,4}(?:\.\d)?|${words.join('|')}|half(?: an?)?|(?:a )?quarter of an|(?:a )?(?:few|couple of|couple)|several|an?)`
/** `two days`, `half an hour`, `an hour and a half`, `90s`. */
export const duration = String.raw`(?:${count} ${longUnit}(?: and a half)?|\d{1,4}(?:\.\d)? ?(?:${longUnit}|[smhdw]))\b`

const countOf = (text: string): number => {
  const plain = text.trim().toLowerCase()
  if (plain === '' || plain === 'a' || plain === 'an') return 1
  if (plain.startsWith('half')) return 0.5
  if (plain.includes('quarter')) return 0.25
  if (plain.includes('couple')) return 2
  const number = Number(plain)
  if (!Number.isNaN(number)) return number
  return words.includes(plain) ? words.indexOf(plain) + 1 : few
}

const durationParts = new RegExp(`^(?:(?<count>${count}) ?)?(?<unit>${longUnit}|[smhdw])(?<half> and a half)?$`)

/** Milliseconds of a duration and of its unit; a unit without a number counts once. */
export const readDuration = (text: string): { length: number; unit: number } => {
  const parts = durationParts.exec(text.trim())?.groups
  const unit = unitOf(parts?.unit ?? '')
  return { length: (countOf(parts?.count ?? '') + (parts?.half === undefined ? 0 : 0.5)) * unit, unit }
}

const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const endOfDate = String.raw`(?![:.]?\d| ?[ap]m\b)`
const monthFirst = String.raw`(?<month>${month})\.? (?:the )?(?<date>[0-3]?\d)(?:st|nd|rd|th)?${endOfDate}`
/** "node 5 may fail" does not contain a date. */
const dateFirst = String.raw`(?:the )?(?<date>[0-3]?\d)(?:(?:st|nd|rd|th)(?: of)? | of | (?!may\b))(?<month>${month})\b`
const year = String.raw`(?:,? (?<year>(?:19|20)\d\d)(?![\d:]))?`
const isoDate = String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<date>\d\d)(?!\d)`
const weekday = `(?:(?<which>last|this) )?(?<weekday>${weekdays.join('|')})`
const period = '(?:(?:over|during|at|on) )?(?<which>this|last|the) (?<period>weekend|week|month|year)'
const unnamed = (pattern: string): string => pattern.replaceAll(/\?<\w+>/g, '?:')

const dayText = String.raw`(?:on )?(?:${[isoDate, '(?:the )?day before yesterday', 'yesterday', 'today', weekday, `${monthFirst}${year}`, `${dateFirst}${year}`, period].map(unnamed).join('|')})\b`
const partText = String.raw`(?:(?:this|last|that|in the|at|late|early) )?(?:morning|afternoon|evening|tonight|night)\b|\bovernight\b`
const dayOrPart = `(?:(?:late |early )?${dayText}(?: (?:in the |at )?(?:${partText}))?|${partText})`
const ago = String.raw`(?:(?:about|around|some) )?${duration} ago\b`
const clockZone = String.raw`(?: ?(?:z|utc|gmt)\b)?`
const clockText = String.raw`(?:\d{1,2}(?:[:.][0-5]\d(?::[0-5]\d)?)? ?[ap]\.?m\b\.?|\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?![\d:])|noon\b|midnight\b)${clockZone}`
const counted = `${longUnit}|%|°|percent|degrees|[kmgt]i?b|ms|[smhdw]|times|attempts|retries|tries|requests|errors|users|hosts|people|connections`
/** A bare hour, which counts as a time only after a leading word. */
const bareText = String.raw`(?:\d{1,2}(?:\.[0-5]\d)?(?: o'clock)?(?![\w%°/]|[.:,-]\d| ?(?:${counted})(?!\w)))`
const between = ',?(?: (?:at|around|about|by|@))? '
const timestamp = String.raw`${unnamed(isoDate)}(?:t\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?| \d\d:\d\d:\d\d(?:[.,]\d{1,9})?) ?(?:z|utc|gmt|[+-]\d\d:?\d\d)?(?!\d)`

const momentText = (clock: string, afterDay: string): string =>
  String.raw`\b(?:${[
    timestamp,
    `(?:${ago}|${dayOrPart})(?:${afterDay})?`,
    `${clock}(?:,? (?:${dayOrPart}|${ago}))?`,
  ].join('|')})`

const anyClock = `(?:${clockText}|${bareText})`
/** A moment that needs no leading word. All patterns match lower-case text with single spaces: more general ones are slow to compile. */
export const strictMoment = momentText(clockText, `,? (?:(?:by|@) )?${clockText}|,? (?:at|around|about) ${anyClock}`)
/** A moment after "since", "at" and similar words, where a bare number is an hour. */
export const ledMoment = momentText(anyClock, `${between}${anyClock}`)

/** The local midnight at which the day of a moment began; local, as all days here. */
export const localDay = (moment: number, { zone }: Clock): number => {
  const local = moment + zone(moment + zone(moment))
  return Math.floor(local / day) * day
}

const oneDay = (from: number, repeatsAfter = 0) => ({ from, to: from + day, repeatsAfter })

const dateOf = (parts: Record<string, string | undefined>, today: number): Moment['day'] => {
  const monthIndex = /^\d/.test(parts.month ?? '')
    ? Number(parts.month) - 1
    : months.indexOf(parts.month?.slice(0, 3).toLowerCase() ?? '')
  const dateIn = (inYear: number) => Date.UTC(inYear, monthIndex, Number(parts.date))
  const thisYear = new Date(today).getUTCFullYear()
  const latest = dateIn(thisYear) > today ? dateIn(thisYear - 1) : dateIn(thisYear)
  const from = parts.year === undefined ? latest : dateIn(Number(parts.year))
  const isReal = new Date(from).getUTCMonth() === monthIndex && new Date(from).getUTCDate() === Number(parts.date)
  return isReal ? oneDay(from) : undefined
}

const dates = [isoDate, `${monthFirst}${year}`, `${dateFirst}${year}`].map(
  (pattern) => new RegExp(String.raw`\b${pattern}`),
)
const weekdayPattern = new RegExp(weekday)
const periodPattern = new RegExp(period)

const periodOf = (which: string, name: string, today: number): Moment['day'] => {
  const date = new Date(today)
  const monday = today - ((date.getUTCDay() + 6) % 7) * day
  if (name === 'week') return { from: monday, to: monday + 7 * day, repeatsAfter: 0 }
  if (name === 'month') {
    const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    return { from, to: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1), repeatsAfter: 0 }
  }
  if (name === 'year')
    return {
      from: Date.UTC(date.getUTCFullYear(), 0, 1),
      to: Date.UTC(date.getUTCFullYear() + 1, 0, 1),
      repeatsAfter: 0,
    }
  const saturday = monday + 5 * day
  const from = which === 'last' || saturday > today ? saturday - 7 * day : saturday
  return { from, to: from + 2 * day, repeatsAfter: 0 }
}

const readDay = (text: string, today: number): Moment['day'] | 'no such day' => {
  for (const pattern of dates) {
    const parts = pattern.exec(text)?.groups
    if (parts) return dateOf(parts, today) ?? 'no such day'
  }
  if (/day before yesterday/i.test(text)) return oneDay(today - 2 * day)
  if (/\byesterday\b|\blast (?:night|evening)\b|\bovernight\b/i.test(text)) return oneDay(today - day)
  if (/\btoday\b/i.test(text)) return oneDay(today)
  const named = weekdayPattern.exec(text)?.groups
  if (named) {
    const back = (new Date(today).getUTCDay() - weekdays.indexOf(named.weekday?.toLowerCase() ?? '') + 7) % 7
    return oneDay(today - (back === 0 && named.which?.toLowerCase() === 'last' ? 7 : back) * day, 7 * day)
  }
  const during = periodPattern.exec(text)?.groups
  return during && periodOf(during.which?.toLowerCase() ?? '', during.period?.toLowerCase() ?? '', today)
}

const clockParts =
  /(?<![\d-])(?:(?<hour>\d{1,2})(?:[:.](?<minute>\d\d)(?::(?<second>\d\d(?:[.,]\d{1,9})?))?)? ?(?:(?<half>[ap])\.?m\b)?(?!\d)|(?<named>\bnoon|\bmidnight))/i
const zonePattern = /(?:(?<=[\d.ap m])(?:z|utc|gmt)|(?<=:\d\d(?:[.,]\d{1,9})?) ?[+-]\d\d:?\d\d)$/i

const readClock = (text: string): Pick<Moment, 'hours' | 'isOpen'> | 'no such time' | undefined => {
  const parts = clockParts.exec(text)?.groups
  if (!parts) return undefined
  if (parts.named !== undefined) return { hours: parts.named.toLowerCase() === 'noon' ? [12, 12] : [0, 0] }
  const written = Number(parts.hour)
  if (written > 24 || (parts.half !== undefined && (written > 12 || written === 0))) return 'no such time'
  const full = parts.half === undefined ? written : (written % 12) + (parts.half.toLowerCase() === 'p' ? 12 : 0)
  const hours = full + Number(parts.minute ?? 0) / 60 + Number((parts.second ?? '0').replace(',', '.')) / 3600
  return { hours: [hours, hours], isOpen: parts.half === undefined && written > 0 && written < 12 }
}

const agoPattern = new RegExp(String.raw`(?<duration>${duration}) ago\b`)
const startOfClock = (text: string): string => {
  // Digits of a date are not a time of day.
  let rest = text.replace(/\b\d{4}-\d\d-\d\d(?:t|\b)/i, ' ')
  for (const pattern of dates) rest = rest.replace(pattern, ' ')
  return rest.replace(agoPattern, ' ')
}

/** "7 in the evening" is 19:00; "2am last night" belongs to the next day. */
const fitClock = (moment: Moment, part: string | undefined, text: string): Moment => {
  const [at = 0] = moment.hours ?? []
  const isLate = part === 'afternoon' || part === 'evening' || part === 'tonight' || (part === 'night' && at >= 5)
  if (moment.isOpen === true && isLate) return { ...moment, hours: [at + 12, at + 12], isOpen: false }
  const isAfterMidnight = at < 12 && /\blast night\b|\bovernight\b/i.test(text)
  return isAfterMidnight ? { ...moment, hours: [at + 24, at + 24] } : moment
}

/** Reads the words of a moment; undefined if it does not exist, such as February 31. */
export const readMoment = (text: string, clock: Clock): Moment | undefined => {
  const today = localDay(clock.now, clock)
  const time = readClock(startOfClock(text))
  if (time === 'no such time') return undefined
  const since = agoPattern.exec(text)?.groups?.duration
  if (since !== undefined) {
    const { length, unit } = readDuration(since)
    if (!time) return { point: { time: clock.now - length, spread: Math.min(unit, length) / 2 } }
    return { ...time, day: oneDay(localDay(clock.now - length, clock)) }
  }
  const named = readDay(text, today)
  if (named === 'no such day') return undefined
  const part = /\b(morning|afternoon|evening|tonight|night)\b|\bover(night)\b/i
    .exec(text)
    ?.slice(1)
    .find(Boolean)
    ?.toLowerCase()
  const zone = time && zoneOf((zonePattern.exec(text.trim())?.[0] ?? '').trim().toUpperCase())
  const moment: Moment = { ...(named && { day: named }), ...time, ...(zone && { zone }) }
  if (time) return fitClock(moment, part, text)
  const hours = dayParts[part ?? '']
  return hours || named ? { ...moment, ...(hours && { hours }) } : undefined
}
