/** Thai months by their names and abbreviations, each with the month in English. */
const months: readonly (readonly [thai: string, english: string])[] = [
  ['มกราคม|ม\\.? ?ค\\.?', 'jan'],
  ['กุมภาพันธ์|ก\\.? ?พ\\.?', 'feb'],
  ['มีนาคม|มี\\.? ?ค\\.?', 'mar'],
  ['เมษายน|เม\\.? ?ย\\.?', 'apr'],
  ['พฤษภาคม|พ\\.? ?ค\\.?', 'may'],
  ['มิถุนายน|มิ\\.? ?ย\\.?', 'jun'],
  ['กรกฎาคม|ก\\.? ?ค\\.?', 'jul'],
  ['สิงหาคม|ส\\.? ?ค\\.?', 'aug'],
  ['กันยายน|ก\\.? ?ย\\.?', 'sep'],
  ['ตุลาคม|ต\\.? ?ค\\.?', 'oct'],
  ['พฤศจิกายน|พ\\.? ?ย\\.?', 'nov'],
  ['ธันวาคม|ธ\\.? ?ค\\.?', 'dec'],
]

const patterns = months.map(
  ([thai, english]) => [new RegExp(`(?<![\\p{L}\\p{M}])(?:${thai})(?![\\p{L}\\p{M}])`, 'gu'), ` ${english} `] as const,
)

/** Words of dates that state nothing more: day, month, year, and the era, which the year shows. */
const fillers = /วันที่|เดือน|ปี|[พค]\.? ?ศ\.?(?=\s*\d)/gu

/** How many years the Buddhist era is ahead. */
const eraOffset = 543
const buddhistYear = /(?<!\d)25[3-9]\d(?!\d)/g

/** A text with its Thai dates as on English pages: "12 พ.ย. 2569" as "12 nov 2026". Other texts stay as they are. */
export const withEnglishDates = (text: string): string => {
  if (!/\p{Script=Thai}/u.test(text)) return text
  const named = patterns.reduce((shown, [thai, english]) => shown.replace(thai, english), text.replace(fillers, ' '))
  return named.replace(buddhistYear, (year) => String(Number(year) - eraOffset))
}
