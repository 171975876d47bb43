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
  ['sep', 'set', 'wrz', 'сен'],
  ['oct', 'okt', 'ott', 'out', 'paz', 'окт'],
  ['nov', 'lis', 'noy', 'ноя'],
  ['dec', 'dez', 'dic', 'gru', 'дек'],
]

const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}/gu, '')
    .normalize('NFC')

const monthOf = (word: string): number | undefined => {
  const plain = withoutAccents(word.toLowerCase())
  const index = monthStems.findIndex((stems) => stems.some((stem) => plain.startsWith(stem)))
  return index < 0 ? undefined : index + 1
}

/** Whether a word is the name of a month, or an abbreviation of one. */
export const isMonth = (word: string): boolean => word.length <= 12 && monthOf(word) !== undefined

/** A date as a page shows it; parts that are not shown are undefined. */
export type ShownDate = { readonly year: number; readonly month: number; readonly day: number | undefined }

const numericDate = (text: string): ShownDate | undefined => {
  const cjk = /(\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?/u.exec(text)
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(text)
  const dayFirst = /\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b/.exec(text)
  if (cjk !== null || iso !== null) {
    const [, year, month, day] = cjk ?? iso ?? []
    return { year: Number(year), month: Number(month), day: day === undefined ? undefined : Number(day) }
  }
  return dayFirst === null
    ? undefined
    : { year: Number(dayFirst[3]), month: Number(dayFirst[2]), day: Number(dayFirst[1]) }
}

/** The first date in a text: "May 4, 2026", "4. Mai 2026", "4 de may. de 2026", "2026年5月4日", "04.05.2026", "Aug 2007". */
export const readDate = (text: string): ShownDate | undefined => {
  const numeric = numericDate(text)
  if (numeric !== undefined) return isRealDate(numeric) ? numeric : undefined
  const year = /(?<!\d)(?:19|20)\d{2}(?!\d)/.exec(text)?.[0]
  if (year === undefined) return undefined
  const month = (text.match(/\p{L}{3,}/gu) ?? []).map(monthOf).find((found) => found !== undefined)
  if (month === undefined) return undefined
  const day = /(?<!\d)([0-3]?\d)(?!\d)/.exec(text.replace(year, ' '))?.[1]
  const shown = { year: Number(year), month, day: day === undefined ? undefined : Number(day) }
  return isRealDate(shown) ? shown : undefined
}

const isRealDate = ({ month, day }: ShownDate): boolean =>
  month >= 1 && month <= 12 && (day === undefined || (day >= 1 && day <= 31))

/** YYYY-MM-DD of a date that shows its day, else undefined. */
export const isoDate = (shown: ShownDate | undefined): string | undefined =>
  shown?.day === undefined
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
