import type { Zone } from '../formats/zone.ts'
import {
  type Clock,
  day,
  duration,
  hour,
  ledMoment,
  localDay,
  type Moment,
  readDuration,
  readMoment,
  strictMoment,
} from './moments.ts'

/** A time range in epoch milliseconds, `end` excluded, and the text without the words that it was read from. */
export type TimePhrase = { start: number; end: number; rest: string }

type Stretch = { start: number; end: number }
type Span = { from: number; to: number }
type Reading = Stretch & { spans: Span[] }

const patterns = {
  past: new RegExp(
    String.raw`\b(?:(?:in|within|over|during|for|since) )?(?:the )?(?:last|past) (?<duration>${duration}|(?:second|minute|min|hour|hr|day|week|month|year)\b)|\bsince (?<since>${duration})(?! ago)`,
  ),
  range: new RegExp(
    String.raw`\b(?:between|from) (?<first>${ledMoment})(?: (?:and|to|until|till|through) | ?[-–] ?)(?<second>now\b|${ledMoment})`,
  ),
  plainRange: new RegExp(
    String.raw`(?<first>${strictMoment})(?: (?:to|until|till|through) | ?[-–] ?)(?<second>now\b|${strictMoment})`,
  ),
  moment: new RegExp(
    String.raw`\b(?<lead>since|until|till|up to|before|by|after|at|around|about|from) (?:(?:about|around) )?(?<led>${ledMoment})|(?<free>${strictMoment})`,
    'g',
  ),
}

/** "every night", "each other Monday": a habit, to be seen over several times. */
const habit =
  /\b(?:every|each) (?:(?:other|second|single) )?(?<unit>day|night|morning|afternoon|evening|week|weekend|(?:sun|mon|tues|wednes|thurs|fri|satur)day)s?\b/
/** Weeks for a habit by its unit; one for the parts of a day. */
const habitWeeks = (unit: string): number => (/^(?:day|night|morning|afternoon|evening)$/.test(unit) ? 1 : 4)

/** A range requires one of these. Checking first is worth it: compiling a pattern that contains all moments twice takes a tenth of a second. */
const mayBe = { range: /\b(?:between|from) /, plainRange: /\b(?:to|until|till|through) |[-–]/ }

const spanOf = (match: RegExpExecArray): Span => ({ from: match.index, to: match.index + match[0].length })

/** The last moment at which a clock of the zone shows a time: the second one in the hour that it shows twice. */
const lastShowing = (local: number, zone: Zone): number => local - Math.min(zone(local), zone(local + hour))

/** The time range of a moment: all that its clock shows as that time; without a day, the latest one that does not begin in the future. */
const locate = (moment: Moment, clock: Clock, ofDay = moment.day): Stretch => {
  if (moment.point) return { start: moment.point.time, end: moment.point.time }
  const {
    from: midnight,
    to,
    repeatsAfter,
  } = ofDay ?? {
    from: localDay(clock.now, clock),
    to: 0,
    repeatsAfter: day,
  }
  const zone = moment.zone ?? clock.zone
  const moved = (local: number) => local - zone(local)
  const stretch = (back: number): Stretch => {
    const [from, until] = moment.hours ?? []
    if (from === undefined || until === undefined) return { start: moved(midnight - back), end: moved(to - back) }
    return { start: moved(midnight - back + from * hour), end: lastShowing(midnight - back + until * hour, zone) }
  }
  const latest = stretch(0)
  return latest.start > clock.now && repeatsAfter > 0 ? stretch(repeatsAfter) : latest
}

const isTimeOfDay = ({ hours }: Moment): boolean => hours !== undefined && hours[0] === hours[1]

const isDayOnly = (moment: Moment): boolean => moment.day !== undefined && moment.hours === undefined

/** From the start of the first moment to the second, or to its end if it is a day. A day that is only in one of them applies to both. */
const between = (first: Moment, second: Moment, clock: Clock, elsewhere: Moment['day']): Stretch => {
  const ofSecond = second.day ?? (first.hours ? (first.day ?? elsewhere) : undefined)
  const ofFirst = first.day ?? (second.hours ? ofSecond : undefined)
  const isNow = second.point?.time === clock.now
  const { start } = locate(first, clock, isNow ? (first.day ?? elsewhere) : ofFirst)
  const { end } = second.point || !second.hours ? locate(second, clock) : locate(second, clock, ofSecond)
  const capped = isDayOnly(second) && start < clock.now ? Math.min(end, clock.now) : end
  if (capped > start) return { start, end: capped }
  if (second.hours && (second.day === undefined || first.day === undefined)) {
    const isBack = ofFirst === undefined && start <= clock.now && end + day > clock.now + day
    return { start, end: capped + (isBack ? 0 : day) }
  }
  const back = first.day?.repeatsAfter ?? 0
  if (back === 0) return { start: capped, end: start }
  // The latest such day before the end, however long ago that is.
  return { start: start - (Math.floor((start - capped) / back) + 1) * back, end: capped }
}

/** In "between 9 and 11pm", both times are in the evening. */
const inSameHalf = (first: Moment, second: Moment): Moment => {
  const [from = 0] = first.hours ?? []
  const [to = 0] = second.hours ?? []
  const isReserved = first.isOpen === true && second.isOpen !== true && to >= 12 && from + 12 < to
  return isReserved && first.day === undefined ? { ...first, hours: [from + 12, from + 12], isOpen: false } : first
}

const rangeOf = (text: string, clock: Clock): Reading | undefined => {
  const match =
    (mayBe.range.test(text) ? patterns.range.exec(text) : null) ??
    (mayBe.plainRange.test(text) ? patterns.plainRange.exec(text) : null)
  if (!match?.groups) return undefined
  const { first = '', second = '' } = match.groups
  const from = readMoment(first, clock)
  const to = second.toLowerCase() === 'now' ? { point: { time: clock.now, spread: 0 } } : readMoment(second, clock)
  if (!from || !to) return undefined
  const span = spanOf(match)
  const needsDay = from.day === undefined && to.day === undefined && !from.point
  const other = needsDay
    ? momentsIn(text, clock).find((found) => found.moment.day && !overlap(found.span, span))
    : undefined
  const stretch = between(inSameHalf(from, to), to, clock, other?.moment.day)
  return { ...stretch, spans: [span, ...(other ? [other.span] : [])] }
}

const pastOf = (text: string, { now }: Clock): Reading | undefined => {
  const match = patterns.past.exec(text)
  if (!match) return undefined
  const { length } = readDuration(match.groups?.duration ?? match.groups?.since ?? '')
  return { start: now - length, end: now, spans: [spanOf(match)] }
}

/** The last weeks, with the times of day in the text: they are no times of the latest day alone. */
const habitOf = (text: string, clock: Clock): Reading | undefined => {
  const match = habit.exec(text)
  if (!match) return undefined
  const span = spanOf(match)
  const own = rangeOf(text, clock)?.spans ?? momentsIn(text, clock).map((found) => found.span)
  const others = own.filter((each) => !overlap(each, span))
  const past = pastOf(text, clock)
  if (past) return { ...past, spans: [...past.spans, span] }
  const start = clock.now - habitWeeks(match.groups?.unit ?? '') * 7 * day
  return { start, end: clock.now, spans: [span, ...others] }
}

type Found = { lead: string; moment: Moment; span: Span }
const overlap = (one: Span, other: Span): boolean => one.from < other.to && other.from < one.to

const momentsIn = (text: string, clock: Clock): Found[] =>
  [...text.matchAll(patterns.moment)].flatMap((match) => {
    const { lead = '', led, free } = match.groups ?? {}
    const moment = readMoment(led ?? free ?? '', clock)
    return moment ? [{ lead: lead.toLowerCase(), moment, span: spanOf(match) }] : []
  })

/** The time range by the word before a moment. */
const stretches: Record<string, (at: Stretch, moment: Moment, clock: Clock) => Stretch> = {
  since: ({ start }, _, { now }) => ({ start, end: Math.max(start, now) }),
  after: ({ start, end }, moment, { now }) => {
    if (isDayOnly(moment)) return { start: end, end: Math.max(end, now) }
    return { start, end: moment.day ? Math.max(start, Math.min(now, start + day)) : Math.max(start, now) }
  },
  before: ({ start }, moment) => ({ start: start - (isDayOnly(moment) ? day : 2 * hour), end: start }),
  /** From the start of the moment's day; for a day, from a week before its end. */
  until: ({ end }, moment, clock) => {
    if (isDayOnly(moment)) return { start: end - 7 * day, end }
    const midnight = localDay(end - 1, clock)
    return { start: midnight - clock.zone(midnight), end }
  },
}
const leads: Record<string, string> = { till: 'until', 'up to': 'until', by: 'before' }

/** "around", "at" and a bare time include half an hour on each side; a current day ends now. */
const around = ({ start, end }: Stretch, moment: Moment, { now }: Clock): Stretch => {
  if (moment.point) return { start: start - moment.point.spread, end: Math.min(now, end + moment.point.spread) }
  if (isTimeOfDay(moment)) return { start: start - hour / 2, end: end + hour / 2 }
  return isDayOnly(moment) && start < now ? { start, end: Math.min(now, end) } : { start, end }
}

const momentOf = (text: string, clock: Clock): Reading | undefined => {
  const all = momentsIn(text, clock)
  const meaningOf = ({ lead }: Found) => stretches[leads[lead] ?? lead]
  const isTime = ({ moment: { hours, point } }: Found) => point !== undefined || hours !== undefined
  const main = all.find(meaningOf) ?? all.find(isTime) ?? all[0]
  if (!main) return undefined
  const lacksDay = main.moment.day === undefined && main.moment.point === undefined
  const other = lacksDay ? all.find((found) => found !== main && found.moment.day) : undefined
  const moment = other?.moment.day ? { ...main.moment, day: other.moment.day } : main.moment
  const stretch = (meaningOf(main) ?? around)(locate(moment, clock), moment, clock)
  return { ...stretch, spans: [main.span, ...(other ? [other.span] : [])] }
}

const without = (text: string, spans: readonly Span[]): string =>
  spans
    .toSorted((a, b) => b.from - a.from)
    .reduce((rest, { from, to }) => `${rest.slice(0, from)} ${rest.slice(to)}`, text)

/**
 * Reads the time range that a symptom names: "yesterday around 3pm", "the last 2 hours", "between 9 and 11 this morning", "since monday",
 * "2026-03-01T07:00:00Z". "around" and "at" include half an hour on each side; "before" is the two hours before, and "until" begins with the day.
 * A time of day without a day, and a weekday, are the latest ones that are not in the future;
 * what happens "every night" is looked for in the last week, and "every Monday" in the last four. Undefined if the text contains no time.
 */
export const timePhraseOf = (text: string, now: number, zone: Zone): TimePhrase | undefined => {
  const clock = { now, zone }
  const plain = text.replaceAll(/\s+/g, ' ')
  // Lower-casing letters beyond ASCII could change the length, and no word of time contains any.
  const lowerCase = plain.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const reading =
    habitOf(lowerCase, clock) ?? rangeOf(lowerCase, clock) ?? pastOf(lowerCase, clock) ?? momentOf(lowerCase, clock)
  return reading && { start: reading.start, end: reading.end, rest: without(plain, reading.spans) }
}
