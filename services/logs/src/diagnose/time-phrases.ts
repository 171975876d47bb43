import type { Zone } from '../formats/zone.ts'

/** A stretch of time in epoch milliseconds, the end not included, and the words it was read from. */
export type TimePhrase = { start: number; end: number; phrase: string }

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const units: Record<string, number> = { minute, min: minute, hour, hr: hour, day, week: 7 * day }

/** Parts of a day, as hours from its start. */
const dayParts: Record<string, readonly [number, number]> = {
  morning: [5, 12],
  noon: [11, 13],
  afternoon: [12, 18],
  evening: [17, 23],
  tonight: [18, 24],
  night: [20, 30],
  midnight: [-1, 1],
}

const clockPattern = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s?(?<half>am|pm)?`
const patterns = {
  past: /\b(?:in |within |over |during )?(?:the )?(?:last|past) (?:(?<count>\d{1,4}|few|couple of) )?(?<unit>minute|min|hour|hr|day|week)s?\b/i,
  ago: /\b(?<about>about |around |some )?(?<count>\d{1,4}|an?|a few|a couple of) (?<unit>minute|min|hour|hr|day|week)s? ago\b/i,
  between: new RegExp(
    String.raw`\b(?:between|from) ${clockPattern} (?:and|to|until|till) (?<hour2>\d{1,2})(?::(?<minute2>\d{2}))?\s?(?<half2>am|pm)?\b`,
    'i',
  ),
  at: new RegExp(String.raw`\b(?<how>at|around|about|by|after|before|since)\s+${clockPattern}(?!\S*[\d-]{3})\b`, 'i'),
  date: /\b(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})\b/,
  day: /\b(?<day>yesterday|today)\b/i,
  part: /\b(?:(?<when>this|last|yesterday|in the) )?(?<part>morning|noon|afternoon|evening|tonight|night|midnight)\b/i,
}

const few = 3
const countOf = (text: string | undefined): number => {
  if (text === undefined || text === 'a' || text === 'an') return 1
  const number = Number(text)
  return Number.isNaN(number) ? few : number
}

const hourOf = (
  hours: string | undefined,
  minutes: string | undefined,
  half: string | undefined,
): number | undefined => {
  const written = Number(hours)
  if (Number.isNaN(written) || written > 24 || (half !== undefined && written > 12)) return undefined
  const isAfternoon = half?.toLowerCase() === 'pm'
  const full = half === undefined ? written : (written % 12) + (isAfternoon ? 12 : 0)
  return full + Number(minutes ?? 0) / 60
}

type Clock = { now: number; zone: Zone }

/** Midnight at which the day of a moment began, on the clock of a zone; `days` later or, negative, before. */
const startOfDay = (moment: number, { zone, now }: Clock, days = 0): number => {
  const local = moment + zone(now)
  const midnight = Math.floor(local / day) * day + days * day
  return midnight - zone(midnight)
}

const dayOf = (text: string, clock: Clock): { start: number; phrase: string; isNamed: boolean } => {
  const date = patterns.date.exec(text)
  if (date?.groups) {
    const { year, month, date: dayOfMonth } = date.groups
    const midnight = Date.UTC(Number(year), Number(month) - 1, Number(dayOfMonth))
    return { start: midnight - clock.zone(midnight), phrase: date[0], isNamed: true }
  }
  const named = patterns.day.exec(text)
  const isYesterday = /\byesterday\b|\blast night\b/i.test(text)
  return {
    start: startOfDay(clock.now, clock, isYesterday ? -1 : 0),
    phrase: named?.[0] ?? '',
    isNamed: named !== null || isYesterday,
  }
}

const phraseOf = (...parts: (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .trim()

/**
 * The stretch of time that a symptom names: "yesterday around 3pm", "the last 2 hours", "between 9 and 11 this morning", "on 2026-03-01".
 * "around" and "at" mean half an hour to each side. A time of day without a day is the latest that is not in the future. Undefined without any.
 */
export const timePhraseOf = (text: string, now: number, zone: Zone): TimePhrase | undefined => {
  const clock = { now, zone }
  const past = patterns.past.exec(text)
  const unitOf = (name: string | undefined) => units[name?.toLowerCase() ?? ''] ?? hour
  if (past?.groups)
    return { start: now - countOf(past.groups.count) * unitOf(past.groups.unit), end: now, phrase: past[0] }
  const ago = patterns.ago.exec(text)
  if (ago?.groups) {
    const unit = unitOf(ago.groups.unit)
    const middle = now - countOf(ago.groups.count) * unit
    return { start: middle - unit / 2, end: Math.min(now, middle + unit / 2), phrase: ago[0] }
  }
  return timeOfDay(text, clock)
}

const timeOfDay = (text: string, clock: Clock): TimePhrase | undefined => {
  const { start: midnight, phrase: dayPhrase, isNamed } = dayOf(text, clock)
  /** Not in the future: without a named day, the day before. */
  const place = (from: number, to: number, phrase: string): TimePhrase => {
    const back = !isNamed && midnight + from * hour > clock.now ? day : 0
    return { start: midnight + from * hour - back, end: midnight + to * hour - back, phrase }
  }
  const between = patterns.between.exec(text)?.groups
  if (between) {
    const to = hourOf(between.hour2, between.minute2, between.half2)
    const from = hourOf(between.hour, between.minute, between.half ?? between.half2)
    if (from !== undefined && to !== undefined)
      return place(from, to > from ? to : to + 24, phraseOf(dayPhrase, patterns.between.exec(text)?.[0]))
  }
  const at = patterns.at.exec(text)
  const around = hourOf(at?.groups?.hour, at?.groups?.minute, at?.groups?.half)
  if (at?.groups && around !== undefined) {
    const how = at.groups.how?.toLowerCase()
    const phrase = phraseOf(dayPhrase, at[0])
    if (how === 'since' || how === 'after') {
      const { start } = place(around, around, phrase)
      return { start, end: isNamed ? Math.min(clock.now, midnight + day) : clock.now, phrase }
    }
    return how === 'before' || how === 'by'
      ? place(around - 2, around, phrase)
      : place(around - 0.5, around + 0.5, phrase)
  }
  const part = patterns.part.exec(text)
  const hours = dayParts[part?.groups?.part?.toLowerCase() ?? '']
  if (part && hours) return place(hours[0], hours[1], phraseOf(dayPhrase, part[0]))
  return isNamed ? { start: midnight, end: Math.min(clock.now, midnight + day), phrase: dayPhrase } : undefined
}
