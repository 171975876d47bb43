import { withEnglishDates } from './thai-dates.ts'

/** Month names by their first letters, without accents. No stem is ambiguous between the languages. */
const monthStems: readonly (readonly string[])[] = [
  ['jan', 'gen', 'ene', 'sty', 'янв'],
  ['feb', 'fev', 'lut', 'фев'],
  ['mar', 'mrz', 'mrt', 'maa', 'мар'],
  ['apr', 'avr', 'abr', 'kwi', 'апр'],
  ['may', 'mai', 'mag', 'mei', 'maj', 'май', 'мая'],
  ['jun', 'juin', 'giu', 'cze', 'июн'],
  ['jul', 'juil', 'lug', 'lip', 'июл'],
  ['aug', 'aou', 'ago', 'sie', 'авг'],
  ['sep', 'set', 'szep', 'wrz', 'сен'],
  ['oct', 'okt', 'ott', 'out', 'paz', 'окт'],
  ['nov', 'lis', 'noy', 'ноя'],
  ['dec', 'dez', 'dic', 'gru', 'дек'],
]

const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}/gu, '')
    .normalize('NFC')

/** Languages of marketplaces whose months do not all begin with those letters: their names come from ICU. */
const otherLanguages = ['bg', 'cs', 'el', 'hu', 'ms', 'nb', 'ro', 'tr', 'uk']
/** Shorter names are words of other languages, too ("Pro", "LED", "Mac"), and count only in texts that are nothing but a date. */
const shortestName = 4

let otherNames: ReadonlyMap<string, number> | undefined

/** Months by their names in those languages, alone, beside a day, and abbreviated. Made when they are first needed. */
const readNames = (): ReadonlyMap<string, number> => {
  const names = new Map<string, number>()
  for (const language of otherLanguages)
    for (const options of [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }] as const) {
      const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
      for (let month = 1; month <= 12; month++) {
        const parts = format.formatToParts(Date.UTC(2000, month - 1, 1))
        const [name] = parts.find(({ type }) => type === 'month')?.value.match(/\p{L}{3,}/u) ?? []
        if (name !== undefined) names.set(withoutAccents(name.toLowerCase()), month)
      }
    }
  return names
}

const monthOf = (word: string, shortest = shortestName): number | undefined => {
  const plain = withoutAccents(word.toLowerCase())
  const index = monthStems.findIndex((stems) => stems.some((stem) => plain.startsWith(stem)))
  if (index >= 0) return index + 1
  if (plain.length < shortest) return undefined
  otherNames ??= readNames()
  return otherNames.get(plain)
}

/** Whether a word is the name of a month, or an abbreviation of one. */
export const isMonth = (word: string): boolean => word.length <= 14 && monthOf(word, 0) !== undefined

/** A date as a page shows it; parts that are not shown, or could be either of two, are undefined. */
export type ShownDate = {
  readonly year: number
  readonly month: number | undefined
  readonly day: number | undefined
}

/** Whether the day or the month comes first in dates such as 04/05/2021; undefined if the page does not determine it. */
export type DateOrder = 'day first' | 'month first' | undefined

const eitherOrder = ([first, second, year]: readonly number[], order: DateOrder): ShownDate | undefined => {
  if (first === undefined || second === undefined || year === undefined) return undefined
  if (first > 12 || (order === 'day first' && second <= 12)) return { year, month: second, day: first }
  if (second > 12 || order === 'month first') return { year, month: first, day: second }
  return first === second ? { year, month: first, day: second } : { year, month: undefined, day: undefined }
}

const numbersIn = (pattern: RegExp, text: string): readonly number[] | undefined =>
  pattern.exec(text)?.slice(1).filter(Boolean).map(Number)

const numericDate = (text: string, order: DateOrder): ShownDate | undefined => {
  const [year, month, day] =
    numbersIn(/(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일])?/u, text) ??
    numbersIn(/\b(\d{4})(?:-|\/|\.\s?)(\d{1,2})(?:-|\/|\.\s?)(\d{1,2})\b/, text) ??
    []
  if (year !== undefined) return { year, month, day }
  const dotted = numbersIn(/\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b/, text)
  if (dotted !== undefined) return eitherOrder(dotted, 'day first')
  const separated = numbersIn(/\b(\d{1,2})[/-](\d{1,2})[/-](\d{4})\b/, text)
  return separated && eitherOrder(separated, order)
}

/** A month and a year in numbers: "03/2014", "2014-03", "tháng 3 năm 2014". */
const numericMonth = (text: string): ShownDate | undefined => {
  const [year, month] = numbersIn(/\b(\d{4})[-/.](\d{1,2})\b/, text) ?? []
  if (year !== undefined) return { year, month, day: undefined }
  const [first, second] =
    numbersIn(/\b(\d{1,2})[-/.](\d{4})\b/, text) ?? numbersIn(/th(?:áng|g)\.?\s*(\d{1,2})\D+(\d{4})/iu, text) ?? []
  return second === undefined ? undefined : { year: second, month: first, day: undefined }
}

const yearPattern = /(?<!\d)(?:19|20)\d{2}(?!\d)/

const namedDate = (text: string, shortest?: number): ShownDate | undefined => {
  const year = yearPattern.exec(text)?.[0]
  if (year === undefined) return undefined
  const month = (text.match(/\p{L}{3,}/gu) ?? [])
    .map((word) => monthOf(word, shortest))
    .find((found) => found !== undefined)
  if (month === undefined) return undefined
  const day = /(?<!\d)([0-3]?\d)(?!\d)/.exec(text.replace(year, ' '))?.[1]
  return { year: Number(year), month, day: day === undefined ? undefined : Number(day) }
}

const realDate = (shown: ShownDate | undefined): ShownDate | undefined =>
  shown && isRealDate(shown) ? shown : undefined

/** The first date in a text: "May 4, 2026", "4. Mai 2026", "4 de may. de 2026", "2026年5月4日", "04.05.2026", "Aug 2007". */
export const readDate = (text: string): ShownDate | undefined => {
  const shown = withEnglishDates(text)
  return realDate(numericDate(shown, undefined) ?? namedDate(shown))
}

/** Years of two digits, as in "Aug-04-07", count from 1995, when the marketplace opened. */
const fullYear = (digits: string): string => `${Number(digits) >= 95 ? 19 : 20}${digits}`

/** The date in a text that is nothing but a date: also "Aug-04-07", "led 2014", "03/2014" or "2014". */
export const readOnlyDate = (text: string, order: DateOrder): ShownDate | undefined => {
  const whole = withEnglishDates(text).replace(
    /(\p{L}{3,})-(\d{1,2})-(\d{2})(?!\d)|(\d{1,2})-(\p{L}{3,})-(\d{2})(?!\d)/u,
    (_, month, day, year, otherDay, otherMonth, otherYear) =>
      `${day ?? otherDay} ${month ?? otherMonth} ${fullYear(year ?? otherYear)}`,
  )
  const [year, ...others] = whole.match(/\d+/g) ?? []
  const only = others.length === 0 && yearPattern.test(whole) ? Number(year) : undefined
  return realDate(
    numericDate(whole, order) ??
      namedDate(whole, 0) ??
      numericMonth(whole) ??
      (only === undefined ? undefined : { year: only, month: undefined, day: undefined }),
  )
}

const isRealDate = ({ month, day }: ShownDate): boolean =>
  (month === undefined || (month >= 1 && month <= 12)) && (day === undefined || (day >= 1 && day <= 31))

/** YYYY-MM-DD of a date that shows its day, else undefined. */
export const isoDate = (shown: ShownDate | undefined): string | undefined =>
  shown?.month === undefined || shown.day === undefined
    ? undefined
    : `${shown.year}-${String(shown.month).padStart(2, '0')}-${String(shown.day).padStart(2, '0')}`

const second = 1000
const units: readonly (readonly [unit: string, milliseconds: number])[] = [
  [
    '(?:days?|dni|dn|dzień|tagen?|tg|jours?|giorn[io]|gg|días?|dias?|dag(?:en|ar|e)?|дн(?:ей|я)?|день|d|t|j|g|д|日|天|일|วัน)',
    86_400 * second,
  ],
  [
    '(?:hours?|hrs?|std|stunden?|heures?|or[ae]|horas?|uur|godz|timmar|timer|tim|час(?:ов|а)?|ч|h|u|時間|小时|小時|시간|ชั่วโมง|ชม)',
    3600 * second,
  ],
  ['(?:minut\\p{L}*|mins?|мин|m|分钟|分鐘|分|분|นาที)', 60 * second],
  ['(?:seconds?|secondes?|secondi|segundos?|sekund\\p{L}*|secs?|sek|сек|s|秒钟|秒鐘|秒|초|วินาที)', second],
]

const durationPattern = new RegExp(
  units.map(([unit]) => `(?:(\\d+)\\s*${unit}(?![\\p{Script=Latin}\\p{Script=Cyrillic}])\\.?[\\s,]*)?`).join(''),
  'iu',
)
const durationStart = new RegExp(
  `(?<![\\p{L}\\d.,$£€:])\\d+\\s*(?:${units.map(([unit]) => unit).join('|')})(?![\\p{Script=Latin}\\p{Script=Cyrillic}])`,
  'iu',
)

/** A time span and the smallest unit that was shown, both in milliseconds. */
export type Duration = { readonly total: number; readonly precision: number }

/** The time span in a text: "3d 14h left", "Noch 2T 3Std", "残り 1日 2時間", "0s left". Undefined if there is none. */
export const readDuration = (text: string): Duration | undefined => {
  const start = durationStart.exec(text)
  const match = start === null ? null : durationPattern.exec(text.slice(start.index))
  if (match === null) return undefined
  let total = 0
  let precision = 0
  for (const [index, [, milliseconds]] of units.entries()) {
    const count = match[index + 1]
    if (count === undefined) continue
    total += Number(count) * milliseconds
    precision = milliseconds
  }
  return precision === 0 ? undefined : { total, precision }
}

const timeLeftWords =
  /\bleft\b|\bends in\b|\bnoch\b|\bendet in\b|restzeit|restants?|rest(?:e|ent)\b|rimas|rimane|restante|queda|termina en|resteren|nog\b|pozosta|осталось|残り|あと|剩余|剩餘|남음/iu

/** Whether a line shows the time that an auction has left, for pages without a known hook for it. */
export const hasTimeLeft = (line: string): boolean => timeLeftWords.test(line) && readDuration(line) !== undefined

const hour = 3600 * second

/**
 * When an auction ends, from the time left and the clock time if the page shows it. "3d 14h left" is exact only to the hour;
 * the minute of the clock time makes it exact in every time zone of whole hours. An auction that has ended gets the last such
 * minute before the page was read.
 */
export const endOfAuction = (left: Duration | 'ended', clock: string | undefined, observedAt: Date): Date => {
  const minute = /(\d{1,2})[:.h](\d{2})(?!\d)/.exec(clock ?? '')?.[2]
  const earliest = left === 'ended' ? observedAt.getTime() - hour : observedAt.getTime() + left.total
  const imprecise = left === 'ended' || left.precision >= hour
  if (minute === undefined || !imprecise) return new Date(left === 'ended' ? observedAt.getTime() : earliest)
  const sinceHour = earliest % hour
  const sinceFullHour = Number(minute) * 60 * second
  const end = earliest - sinceHour + sinceFullHour + (sinceFullHour < sinceHour ? hour : 0)
  return new Date(left === 'ended' ? Math.min(end, observedAt.getTime()) : end)
}
