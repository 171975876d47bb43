import { spaced, unspacedWords, wholeWords } from '../whole-words.ts'
import * as data from './damage-words.ts'

const everyDamageWord = data.damageFamilies
  .filter(({ canBeDenied }) => canBeDenied)
  .flatMap(({ phrases }) => phrases.map(({ words }) => words))
  .join('|')

/** What stands between the words of a list: "cracks, dents/chips". A dash between spaces begins another statement: "no cracks - scratched". */
const inList = String.raw`(?:\s*[,/&+]+\s*|\s+|-)`

const followedBy = (denial: string, words: string): string =>
  `${wholeWords(denial)}(?:${inList}${wholeWords(`${words}|${everyDamageWord}`)})*`

/** A denial, followed only by harmless words and other damage words, up to the end of the text before a match. */
const denied = new RegExp(
  `(?:${followedBy(`${data.denials}|${data.preventions}`, data.betweenDenialAndDamage)}|${followedBy(data.shortDenials, data.joinsDenied)})${inList}?$`,
  'iu',
)
const opposite = new RegExp(
  String.raw`^(?:[\s\-–]?(?:${data.oppositeSuffixes}|${spaced(data.remedies)})(?!\p{L})|\s*[:?]\s*(?:${data.denyingAnswers}))`,
  'iu',
)

type Compiled = { readonly canBeDenied: boolean; readonly pattern: RegExp }

const compiled: readonly Compiled[] = data.damageFamilies.flatMap(({ canBeDenied, isUnspaced = false, phrases }) =>
  phrases.map(({ words, unlessAfter, unlessBefore }) => {
    const before = unlessAfter === undefined ? '' : String.raw`(?<!(?<![\p{L}\p{N}])(?:${spaced(unlessAfter)})[\s\-]+)`
    const after = unlessBefore === undefined ? '' : String.raw`(?![\s\-]+(?:${spaced(unlessBefore)})(?!\p{L}))`
    const source = isUnspaced ? unspacedWords(words) : wholeWords(words)
    return { canBeDenied, pattern: new RegExp(before + source + after, 'giu') }
  }),
)

/**
 * Maximum distance between damage wording and the start of its denial, in UTF-16 units. Searching the whole text before every
 * match would take quadratic time.
 */
export const denialReach = 100

/** The text before a match, as far as a denial may reach, starting at a word boundary. */
const before = (text: string, end: number): string => {
  const start = Math.max(0, end - denialReach)
  const reached = text.slice(start, end)
  return start > 0 && /[\p{L}\p{N}]/u.test(text.charAt(start - 1)) ? reached.replace(/^[\p{L}\p{N}]+/u, '') : reached
}

/**
 * The first words in a text that admit damage, or undefined. Matches whole words only (not the "chip" of "microchip"), and
 * ignores denied ones ("no scratches or dents", "scratch-free").
 */
export const damageIn = (text: string): string | undefined => {
  for (const { canBeDenied, pattern } of compiled) {
    for (const match of text.matchAll(pattern)) {
      const after = match.index + match[0].length
      const isDenied =
        canBeDenied && (denied.test(before(text, match.index)) || opposite.test(text.slice(after, after + denialReach)))
      if (!isDenied) return match[0]
    }
  }
  return undefined
}
