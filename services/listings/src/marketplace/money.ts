/** An amount in major units with its ISO 4217 code. */
export type Money = { readonly amount: number; readonly currency: string }

/**
 * Signs and codes as sites write them, sorted by length so that `C $` is not read as `$`.
 * A sign with several meanings names a family that the site resolves (see `ambiguous`).
 */
const signs: readonly (readonly [sign: string, currency: string])[] = (
  [
    ['US $', 'USD'],
    ['US$', 'USD'],
    ['CA $', 'CAD'],
    ['CA$', 'CAD'],
    ['CDN$', 'CAD'],
    ['C $', 'CAD'],
    ['C$', 'CAD'],
    ['$ CA', 'CAD'],
    ['$ C', 'CAD'],
    ['$ US', 'USD'],
    ['$US', 'USD'],
    ['$CA', 'CAD'],
    ['AU $', 'AUD'],
    ['AU$', 'AUD'],
    ['A$', 'AUD'],
    ['NZ $', 'NZD'],
    ['NZ$', 'NZD'],
    ['HK $', 'HKD'],
    ['HK$', 'HKD'],
    ['SG $', 'SGD'],
    ['SG$', 'SGD'],
    ['S $', 'SGD'],
    ['S$', 'SGD'],
    ['NT $', 'TWD'],
    ['NT$', 'TWD'],
    ['MX $', 'MXN'],
    ['MX$', 'MXN'],
    ['R $', 'BRL'],
    ['R$', 'BRL'],
    ['GBP', 'GBP'],
    ['£', 'GBP'],
    ['€', 'EUR'],
    ['SFr.', 'CHF'],
    ['SFr', 'CHF'],
    ['Fr.', 'CHF'],
    ['zł', 'PLN'],
    ['Kč', 'CZK'],
    ['Ft', 'HUF'],
    ['lei', 'RON'],
    ['лв', 'BGN'],
    ['kr.', 'kr'],
    ['kr', 'kr'],
    ['円', 'JPY'],
    ['元', 'CNY'],
    ['RMB', 'CNY'],
    ['¥', '¥'],
    ['￥', '¥'],
    ['₩', 'KRW'],
    ['원', 'KRW'],
    ['₹', 'INR'],
    ['Rs.', 'INR'],
    ['Rs', 'INR'],
    ['RM', 'MYR'],
    ['₱', 'PHP'],
    ['Php', 'PHP'],
    ['฿', 'THB'],
    ['₫', 'VND'],
    ['Rp', 'IDR'],
    ['₺', 'TRY'],
    ['TL', 'TRY'],
    ['₪', 'ILS'],
    ['NIS', 'ILS'],
    ['₽', 'RUB'],
    ['руб', 'RUB'],
    ['₴', 'UAH'],
    ['грн', 'UAH'],
    ['$', '$'],
  ] as (readonly [string, string])[]
).sort(([a], [b]) => b.length - a.length)

/** Currencies of shared signs, the default first, for sites that do not determine it. */
const ambiguous: Readonly<Record<string, readonly string[]>> = {
  $: ['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'MXN', 'TWD'],
  '¥': ['JPY', 'CNY'],
  kr: ['SEK', 'NOK', 'DKK'],
}

const isoCodes = new Set(Intl.supportedValuesOf('currency'))

const resolve = (currency: string, siteCurrency: string | undefined): string => {
  const meanings = ambiguous[currency]
  if (meanings === undefined) return currency
  return meanings.find((meaning) => meaning === siteCurrency) ?? meanings[0] ?? currency
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /\p{L}/u.test(character)

/** A code before a sign that is ambiguous without it ("MXN $"). */
const codeBefore = /(?:^|[^\p{L}])([A-Z]{3})\s*(?:\$|¥|￥|kr\.?)$/u

/** The sign at the end of the text before a number ("US $"), or at the start of the text after it ("EUR", "zł"). */
const signAt = (text: string, side: 'end' | 'start'): string | undefined => {
  const trimmed = side === 'end' ? text.trimEnd() : text.trimStart()
  const named = side === 'end' ? codeBefore.exec(trimmed)?.[1] : undefined
  if (named !== undefined && isoCodes.has(named)) return named
  const code = (side === 'end' ? /(?:^|[^\p{L}])([A-Z]{3})$/u : /^([A-Z]{3})(?!\p{L})/u).exec(trimmed)?.[1]
  if (code !== undefined && isoCodes.has(code)) return code
  for (const [sign, currency] of signs) {
    if (side === 'end') {
      if (trimmed.endsWith(sign) && !(isLetter(sign[0]) && isLetter(trimmed.at(-sign.length - 1)))) return currency
    } else if (trimmed.startsWith(sign) && !(isLetter(sign.at(-1)) && isLetter(trimmed[sign.length]))) return currency
  }
  return undefined
}

const grouping = "[.,'’\\u00a0\\u202f ]"
const amountPattern = new RegExp(
  [
    String.raw`(?<=[$£€]\s?)[.,]\d{2}(?!\d)`, // $.99
    String.raw`\d{1,3}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?(?!\d)`, // 1,23,456.00 as in India
    String.raw`\d{1,3}(?:${grouping}\d{3})+(?:[.,]\d{1,2})?(?!\d)`,
    String.raw`\d+(?:[.,]\d{1,2})?(?![.,]?\d)`,
    String.raw`\d+`,
  ].join('|'),
  'g',
)

/**
 * A number in any of the sites' notations: "1,234.56", "1.234,56", "1 234,56", "1'234.50", "1,234", "12,5".
 * The last of two kinds of separator is the decimal one; a single separator before exactly three digits groups thousands.
 */
export const readNumber = (text: string): number => {
  const compact = text.replace(/[\s'’]/g, '')
  const separators = compact.match(/[.,]/g) ?? []
  const last = separators.at(-1)
  if (last === undefined) return Number(compact)
  const decimals = compact.length - compact.lastIndexOf(last) - 1
  const sameKind = separators.every((separator) => separator === last)
  const isDecimal = sameKind ? separators.length === 1 && (decimals !== 3 || compact.startsWith('0')) : true
  const other = last === '.' ? ',' : '.'
  return isDecimal
    ? Number(compact.replaceAll(other, '').replace(last, '.'))
    : Number(compact.replaceAll('.', '').replaceAll(',', ''))
}

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** An amount in a currency: "12.500" is twelve and a half where the smallest unit is a thousandth, as of the dinars. */
const amountIn = (text: string, currency: string): number =>
  /^\d{1,3}\.\d{3}$/.test(text) && decimalsOf(currency) === 3 ? Number(text) : readNumber(text)

const isShared = (sign: string | undefined): sign is string => sign !== undefined && ambiguous[sign] !== undefined

/** A code after an amount, unless the next amount follows it directly: of "$5 EUR 6" it belongs to the 6. */
const codeAfter = (after: string, isLast: boolean): string | undefined => {
  const [shown, code] = /^\s*([A-Z]{3})(?!\p{L})/u.exec(after) ?? []
  const belongs = shown !== undefined && (isLast || after.slice(shown.length).trim() !== '')
  return belongs && code !== undefined && isoCodes.has(code) ? code : undefined
}

/**
 * Every amount of money in a text, in order. The currency comes from the sign beside a number, else from the sign of
 * another amount in the same text ("10 to 20 EUR"), else from the site; an amount without any of the three is left out.
 * A code after the number determines what a sign with several meanings stands for ("$1,234.56 MXN").
 */
export const readMoney = (text: string, siteCurrency: string | undefined): readonly Money[] => {
  const matches = [...text.matchAll(amountPattern)]
  const read = matches.map((match, index) => {
    const previous = matches[index - 1]
    const next = matches[index + 1]
    const before = text.slice(previous === undefined ? 0 : previous.index + previous[0].length, match.index)
    const after = text.slice(match.index + match[0].length, next?.index)
    const leading = signAt(before, 'end')
    return {
      text: match[0],
      sign: leading ?? signAt(after, 'start'),
      code: isShared(leading) ? codeAfter(after, next === undefined) : undefined,
    }
  })
  const shared = read.find(({ sign }) => sign !== undefined)?.sign
  const codes = new Map(read.flatMap(({ sign, code }) => (code === undefined ? [] : [[sign, code] as const])))
  return read.flatMap(({ text: number, sign, code }) => {
    const found = code ?? codes.get(sign) ?? sign ?? shared
    const currency = found === undefined ? siteCurrency : resolve(found, siteCurrency)
    const amount = currency === undefined ? Number.NaN : amountIn(number, currency)
    return currency === undefined || !Number.isFinite(amount) ? [] : [{ amount, currency }]
  })
}

const wordsBetween = /^[\s–—~-]*(?:to|bis|à|a|al|hasta|tot|do|até|till|til|から|～|至|到|до)?[\s–—~-]*$/iu

/** Whether a text is only the word between the two ends of a range. */
export const isRangeWord = (text: string): boolean => text.trim() !== '' && wordsBetween.test(text)

/** Whether a text is only one price or one range of prices; "Free delivery" and "+$4.00 delivery" are not. */
export const isOnlyMoney = (text: string, siteCurrency: string | undefined): boolean => {
  if (readMoney(text, siteCurrency).length === 0) return false
  let rest = text.replace(amountPattern, ' ')
  if (rest.trim() === '') return false
  for (const [sign] of signs) rest = rest.replaceAll(sign, ' ')
  rest = rest.replace(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu, (code) => (isoCodes.has(code) ? ' ' : code))
  return wordsBetween.test(rest)
}

const multipliers: readonly (readonly [pattern: RegExp, factor: number])[] = [
  [/^(?:k|tsd|tys|mila?|thsd|тыс|千|천)\.?$/iu, 1e3],
  [/^(?:万|萬|만)$/u, 1e4],
  [/^(?:m|mio|mln|млн|mi)\.?$/iu, 1e6],
]

/** The count at the start of a text, abbreviated or not: "1.2K sold", "3 412 objets", "12 万". A next word that is no unit belongs to the text. */
export const leadingCount = (text: string): number | undefined => {
  const { digits, unit = '' } =
    /^\s*(?<digits>\d[\d.,'’\s]*)(?<unit>[\p{Script=Latin}\p{Script=Cyrillic}]+\.?|[千천万萬만])?/u.exec(text)
      ?.groups ?? {}
  return digits === undefined ? undefined : (readCount(digits, unit) ?? readCount(digits))
}

/** A count, abbreviated or not: "1,234", "99.6K", "1,6 Tsd.", "1.6万". Undefined for other texts. */
export const readCount = (digits: string, unit = ''): number | undefined => {
  const trimmed = digits.trim()
  if (!/^\d[\d.,'’\s]*$/.test(trimmed)) return undefined
  if (unit.trim() === '') return Number(trimmed.replace(/\D/g, ''))
  const factor = multipliers.find(([pattern]) => pattern.test(unit.trim()))?.[1]
  return factor === undefined ? undefined : Math.round(readNumber(trimmed) * factor)
}
