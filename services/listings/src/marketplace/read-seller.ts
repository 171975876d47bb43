import { readCount } from './money.ts'
import { startsWithNoFeedback } from './wording.ts'

/** A seller as a card or an item page shows one. The ratio is a share from 0 to 1; 0 if it shows 0 %, as many do without any feedback. */
export type ShownSeller = {
  readonly name: string
  readonly feedbackCount: number | null
  readonly feedbackRatio: number | null
}

const percent = /(?:(?<after>\d{1,3}(?:[.,]\d+)?)\s?%|%\s?(?<before>\d{1,3}(?:[.,]\d+)?))/g
/** A count of feedback in parentheses: of the positive less that of the negative, so it may be below zero. */
const count = /[(（]\s*(?<below>[-−–]\s?(?=\d))?(?<digits>\d[\d.,'’\s]*?)\s*(?<unit>[\p{L}.]{0,5})\s*[)）]/u
/** The count in a match; one below zero is 0, as everywhere else in the service. */
const countOf = ({ groups }: RegExpExecArray): number | undefined =>
  groups?.below === undefined ? readCount(groups?.digits ?? '', groups?.unit) : 0

/** Longest accepted name of a seller, in characters. */
const longestName = 64

/** Characters between two matches of a line that do not overlap. */
const distance = (one: RegExpMatchArray, other: RegExpMatchArray): number => {
  const [first, second] = (one.index ?? 0) < (other.index ?? 0) ? [one, other] : [other, one]
  return (second.index ?? 0) - (first.index ?? 0) - first[0].length
}

/** Feedback in a line: "99.6% positive (1.6K)", "(1,234) 99.1%". Undefined unless it has both a percentage and a count. */
export const readFeedback = (
  line: string,
): { readonly start: number; readonly count: number; readonly ratio: number } | undefined => {
  const total = count.exec(line)
  if (total === null) return undefined
  // The name of a store may contain a percentage, too: "50% Off Outlet (1,234) 99.1% positive".
  const [share] = [...line.matchAll(percent)].sort((a, b) => distance(a, total) - distance(b, total))
  if (share === undefined) return undefined
  const value = Number((share.groups?.after ?? share.groups?.before ?? '').replace(',', '.'))
  const feedbackCount = countOf(total)
  if (feedbackCount === undefined || !(value >= 0 && value <= 100)) return undefined
  return {
    start: Math.min(share.index, total.index),
    count: feedbackCount,
    ratio: Math.round(value * 1000) / 100_000,
  }
}

/** The count of feedback directly after a seller's name, as pages show it that have no percentage: "anna (0) 12 items sold", "anna No feedback". */
export const countAfter = (name: string, text: string): number | undefined => {
  if (text.startsWith(name) && startsWithNoFeedback(text.slice(name.length))) return 0
  const total = count.exec(text)
  return total !== null && text.slice(0, total.index).trim() === name ? countOf(total) : undefined
}

const nameIn = (text: string): string | undefined => {
  const name = text.replace(/[\s:|·•-]+$/u, '').trim()
  return name === '' || name.length > longestName ? undefined : name
}

/** A seller from the texts of one row, in order: "name 99.8% positive (99.6K)", or with the name in a separate text. */
export const sellerInRow = (texts: readonly string[]): ShownSeller | undefined => {
  const joined = texts.join(' ')
  const feedback = readFeedback(joined)
  if (feedback === undefined) return undefined
  const name = nameIn(joined.slice(0, feedback.start))
  return name === undefined ? undefined : { name, feedbackCount: feedback.count, feedbackRatio: feedback.ratio }
}

/** A seller from a row with a name and optionally a count: "name", "name (0)", "name No feedback". */
export const sellerWithoutRatio = (row: string): ShownSeller | undefined => {
  const [beginning = '', first] = /^(\S{2,64})\s+/u.exec(row) ?? []
  if (first !== undefined && startsWithNoFeedback(row.slice(beginning.length)))
    return { name: first, feedbackCount: 0, feedbackRatio: null }
  const match =
    /^(?<name>\S{2,64}?)(?:\s*[(（](?<below>[-−–](?=\d))?(?<digits>\d[\d.,'’]*)\s*(?<unit>\p{L}{0,3})[)）])?$/u.exec(
      row,
    )
  const name = match?.groups?.name
  if (name === undefined || /^[\d.,%$€£+-]+$/.test(name)) return undefined
  return {
    name,
    feedbackCount: match?.groups?.digits === undefined ? null : (countOf(match) ?? null),
    feedbackRatio: null,
  }
}

const shareWithoutCount =
  /^(?<name>\S{2,64})\s+(?<share>\d{1,3}(?:[.,]\d+)?)\s?%\s*(?:positi|pozyt|полож|高?評価|好[评評])\p{L}*$/iu

/** A seller from a row with a name and a share, but without a count: "name 99.8% positive". */
export const sellerWithoutCount = (row: string): ShownSeller | undefined => {
  const { name, share = '' } = shareWithoutCount.exec(row)?.groups ?? {}
  const value = Number(share.replace(',', '.'))
  return name === undefined || value > 100
    ? undefined
    : { name, feedbackCount: null, feedbackRatio: Math.round(value * 1000) / 100_000 }
}

/** A seller anywhere among a card's lines, for pages with unknown hooks; the name may be in the preceding line. */
export const sellerInLines = (texts: readonly string[]): ShownSeller | undefined => {
  for (const [index, text] of texts.entries()) {
    const feedback = readFeedback(text)
    if (feedback === undefined) continue
    const name = nameIn(text.slice(0, feedback.start)) ?? nameIn(texts[index - 1] ?? '')
    if (name !== undefined) return { name, feedbackCount: feedback.count, feedbackRatio: feedback.ratio }
  }
  return undefined
}
