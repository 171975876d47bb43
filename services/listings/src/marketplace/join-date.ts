import { type DateOrder, isMonth, readOnlyDate, type ShownDate } from './calendar.ts'
import { withEnglishDates } from './thai-dates.ts'

/** Words before a seller's join date, by language; `on \\w+ since` covers the marketplace's name. */
const before = new RegExp(
  `^(?:${[
    'joined|registered|(?:member|seller) since|on \\w+ since',
    '(?:mitglied|verkäufer|registriert|angemeldet|bei \\w+) seit|(?:registriert|angemeldet|beigetreten) (?:am|im)|angemeldet|beigetreten',
    'membre depuis|inscrit(?:e|\\(e\\))?|a rejoint',
    'iscritt[oa]|membro da(?:l)?|si è iscritt[oa]|utente(?: registrato)? dal|su \\w+ dal?',
    '(?:miembro|usuario) desde|se (?:unió|registró)|registrad[oa]',
    'lid sinds|lid geworden|geregistreerd',
    'membro desde|cadastrad[oa]|entrou em',
    'medlem (?:sedan|siden|fra)|på \\w+ (?:sedan|siden)|registr(?:erad|eret|ert)|bl(?:e|ev) medlem|oprettet|tilmeldt|gick med',
    'člen(?:em|kou)? od|na \\w+ od|registrován[ao]?|(?:datum )?registrace|připojila? se',
    'regisztrál(?:t|va)|regisztráció(?: (?:dátuma|ideje))?|csatlakozott|tagság kezdete',
    '(?:üyelik|katılma|kayıt) tarihi',
    'membru din|înregistrat[ăa]?',
    'зареєстр\\p{L}*|регистриран\\p{L}*|член от',
    'μέλος από|εγγραφή',
    '(?:เป็น)?สมาชิก(?:ตั้งแต่|เมื่อ)|เข้าร่วม(?:เมื่อ|ตั้งแต่)?|ลงทะเบียน(?:เมื่อ)?',
    'thành viên từ|tham gia(?: từ| vào)?',
    '(?:가입|등록)(?:일자?)?',
    'dołączył[aoy]?(?:\\(a\\))?|(?:członek|użytkownik) od|zarejestrowan[ya]',
    'зарегистрир\\p{L}*(?:\\(а\\))?',
    '登録日?|(?:会员|會員)?(?:加入|注册|註冊)(?:时间|時間|日期|于|於)?',
  ].join('|')})(?![\\p{Script=Latin}\\p{Script=Cyrillic}])`,
  'iu',
)
/** Languages in which the words follow the date. */
const after =
  /(?:に?(?:登録|加入)(?:済み?)?|加入|注册|註冊|가입|óta tag|(?:['’][dt][ae]n )?beri üye|tarihinde (?:katıldı|üye oldu))$/u

/** Words allowed between those and the date or within it, including the marketplace's name. */
const fillers = new Set(
  'in on am im seit le en de du des depuis nel il ad da dal del a el op sinds w dnia od dne с в г года року р sedan siden den i fra em desde din la από tháng thg năm st nd rd th do ebay'.split(
    ' ',
  ),
)

/** A year of two digits after a month and a day: "Aug-04-07", "04-Aug-07". */
const shortYear = /^[\s:]*(?:\p{L}{3,}-\d{1,2}|\d{1,2}-\p{L}{3,})-\d{2}$/u

/** Whether a text is only a date: no more than one month name, one year, and up to two other numbers. */
const isOnlyDate = (text: string): boolean => {
  const words = text.replace(/[年月日년월일]/gu, ' ').match(/\p{L}+/gu) ?? []
  const numbers = text.match(/\d+/g) ?? []
  const others = words.filter((word) => !fillers.has(word.toLowerCase()))
  return (
    others.length <= 1 &&
    others.every(isMonth) &&
    (shortYear.test(text) ||
      (numbers.filter((number) => number.length === 4).length === 1 &&
        numbers.filter((number) => number.length <= 2).length === numbers.length - 1 &&
        numbers.length <= 3)) &&
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
 * The date in a line that states only when a seller joined: "Joined Aug 2007", "Mitglied seit: 4. Mai 2026", "2015年3月登録", "Member since 2014".
 * Undefined for a sentence with other words in it, which any user may have written.
 */
export const readJoinDate = (line: string, order?: DateOrder): ShownDate | undefined => {
  const around = dateAround(line.trim().replace(/\.$/, ''))
  const rest = around === undefined ? undefined : withEnglishDates(around)
  return rest !== undefined && isOnlyDate(rest) ? readOnlyDate(rest, order) : undefined
}
