import { isMonth, readDate, type ShownDate } from './calendar.ts'

/** Words before a seller's join date, by language; `on \\w+ since` covers the marketplace's name. */
const before = new RegExp(
  `^(?:${[
    'joined|(?:member|seller) since|on \\w+ since',
    '(?:mitglied|verkäufer|registriert|angemeldet|bei \\w+) seit|(?:registriert|angemeldet|beigetreten) (?:am|im)|angemeldet|beigetreten',
    'membre depuis|inscrit(?:e|\\(e\\))?|a rejoint',
    'iscritt[oa]|membro da(?:l)?|si è iscritt[oa]|utente(?: registrato)? dal|su \\w+ dal?',
    '(?:miembro|usuario) desde|se (?:unió|registró)|registrad[oa]',
    'lid sinds|lid geworden|geregistreerd',
    'membro desde',
    'medlem sedan|medlem siden',
    'dołączył[aoy]?(?:\\(a\\))?|(?:członek|użytkownik) od|zarejestrowan[ya]',
    'зарегистрир\\p{L}*(?:\\(а\\))?',
    '登録日?|(?:会员|會員)?(?:加入|注册|註冊)(?:时间|時間|日期|于|於)?',
  ].join('|')})(?![\\p{Script=Latin}\\p{Script=Cyrillic}])`,
  'iu',
)
/** Languages in which the words follow the date. */
const after = /(?:に?(?:登録|加入)(?:済み?)?|加入|注册|註冊)$/u

/** Words allowed between those and the date or within it, including the marketplace's name. */
const fillers = new Set(
  'in on am im seit le en de du des depuis nel il ad da dal del a el op sinds w dnia od с в г года sedan siden st nd rd th do ebay'.split(
    ' ',
  ),
)

/** Whether a text is only a date: no more than one month name, one year, and up to two other numbers. */
const isOnlyDate = (text: string): boolean => {
  const words = text.replace(/[年月日]/gu, ' ').match(/\p{L}+/gu) ?? []
  const numbers = text.match(/\d+/g) ?? []
  const others = words.filter((word) => !fillers.has(word.toLowerCase()))
  return (
    others.length <= 1 &&
    others.every(isMonth) &&
    numbers.filter((number) => number.length === 4).length === 1 &&
    numbers.filter((number) => number.length <= 2).length === numbers.length - 1 &&
    numbers.length <= 3 &&
    /^[\p{L}\d\s.,:：/'’-]*$/u.test(text)
  )
}

const dateAround = (line: string): string | undefined => {
  const [start] = before.exec(line) ?? []
  if (start !== undefined) return line.slice(start.length)
  const [end] = after.exec(line) ?? []
  return end === undefined ? undefined : line.slice(0, -end.length)
}

/**
 * The date in a line that states only when a seller joined: "Joined Aug 2007", "Mitglied seit: 4. Mai 2026", "2015年3月登録".
 * Undefined for a sentence with other words in it, which any user may have written.
 */
export const readJoinDate = (line: string): ShownDate | undefined => {
  const rest = dateAround(line.trim().replace(/\.$/, ''))
  const shown = rest !== undefined && isOnlyDate(rest) ? readDate(rest) : undefined
  // With slashes, either of two numbers may be the day.
  return shown && rest?.includes('/') === true ? { ...shown, day: undefined } : shown
}
