import { readCount } from './money.ts'

/** A seller as a card or an item page shows one. The ratio is a share from 0 to 1, and 0 where nobody has judged yet. */
export type ShownSeller = {
  readonly name: string
  readonly feedbackCount: number | null
  readonly feedbackRatio: number | null
}

const percent = /(?:(?<after>\d{1,3}(?:[.,]\d+)?)\s?%|%\s?(?<before>\d{1,3}(?:[.,]\d+)?))/
const count = /[(（]\s*(?<digits>\d[\d.,'’\s]*?)\s*(?<unit>[\p{L}.]{0,5})\s*[)）]/u
/** Longest name of a seller that is believed, in characters. */
const longestName = 64

/** Feedback in a line: "99.6% positive (1.6K)", "(1,234) 99.1%". Undefined unless both a percentage and a count stand there. */
export const readFeedback = (
  line: string,
): { readonly start: number; readonly count: number; readonly ratio: number } | undefined => {
  const share = percent.exec(line)
  const total = count.exec(line)
  if (share === null || total === null) return undefined
  const value = Number((share.groups?.after ?? share.groups?.before ?? '').replace(',', '.'))
  const feedbackCount = readCount(total.groups?.digits ?? '', total.groups?.unit)
  if (feedbackCount === undefined || !(value >= 0 && value <= 100)) return undefined
  return {
    start: Math.min(share.index, total.index),
    count: feedbackCount,
    ratio: Math.round(value * 1000) / 100_000,
  }
}

const nameIn = (text: string): string | undefined => {
  const name = text.replace(/[\s:|·•-]+$/u, '').trim()
  return name === '' || name.length > longestName ? undefined : name
}

/** A seller from the texts of one row, given in order: "name 99.8% positive (99.6K)", or the name in a text of its own. */
export const sellerInRow = (texts: readonly string[]): ShownSeller | undefined => {
  const joined = texts.join(' ')
  const feedback = readFeedback(joined)
  if (feedback === undefined) return undefined
  const name = nameIn(joined.slice(0, feedback.start))
  return name === undefined ? undefined : { name, feedbackCount: feedback.count, feedbackRatio: feedback.ratio }
}

/** A seller of whom a row shows a name and at most a count: "name", "name (0)". */
export const sellerWithoutRatio = (row: string): ShownSeller | undefined => {
  const match = /^(?<name>\S{2,64}?)(?:\s*[(（](?<digits>\d[\d.,'’]*)\s*(?<unit>\p{L}{0,3})[)）])?$/u.exec(row)
  const name = match?.groups?.name
  if (name === undefined || /^[\d.,%$€£+-]+$/.test(name)) return undefined
  const digits = match?.groups?.digits
  return {
    name,
    feedbackCount: digits === undefined ? null : (readCount(digits, match?.groups?.unit) ?? null),
    feedbackRatio: null,
  }
}

/** A seller anywhere among a card's lines, for pages whose hooks are unknown; the name may be the line before. */
export const sellerInLines = (texts: readonly string[]): ShownSeller | undefined => {
  for (const [index, text] of texts.entries()) {
    const feedback = readFeedback(text)
    if (feedback === undefined) continue
    const name = nameIn(text.slice(0, feedback.start)) ?? nameIn(texts[index - 1] ?? '')
    if (name !== undefined) return { name, feedbackCount: feedback.count, feedbackRatio: feedback.ratio }
  }
  return undefined
}
