import * as data from './damage-words.ts'

const gap = String.raw`[\s\-–/]+`
const spaced = (words: string): string => words.replaceAll(' ', gap)
const wholeWords = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${spaced(words)})(?![\p{L}\p{N}])`

const everyDamageWord = data.damageFamilies
  .filter(({ canBeDenied }) => canBeDenied)
  .flatMap(({ phrases }) => phrases.map(({ words }) => words))
  .join('|')

/** A denial, then nothing but harmless words and other damage words, up to the end of the text before a match. */
const denied = new RegExp(
  String.raw`(?:${wholeWords(data.denials)}(?:[\s,/&+\-]+(?:${wholeWords(`${data.betweenDenialAndDamage}|${everyDamageWord}`)}))*|${wholeWords(data.shortDenials)})[\s,/&+\-]*$`,
  'iu',
)
const opposite = new RegExp(String.raw`^[\s\-–]?(?:${data.oppositeSuffixes})(?!\p{L})`, 'iu')

type Compiled = { readonly canBeDenied: boolean; readonly pattern: RegExp }

const compiled: readonly Compiled[] = data.damageFamilies.flatMap(({ canBeDenied, phrases }) =>
  phrases.map(({ words, unlessAfter, unlessBefore }) => {
    const before = unlessAfter === undefined ? '' : String.raw`(?<!(?<![\p{L}\p{N}])(?:${spaced(unlessAfter)})[\s\-]+)`
    const after = unlessBefore === undefined ? '' : String.raw`(?![\s\-]+(?:${spaced(unlessBefore)})(?!\p{L}))`
    return { canBeDenied, pattern: new RegExp(before + wholeWords(words) + after, 'giu') }
  }),
)

/**
 * How far before damage wording its denial may begin, in UTF-16 units. Searching the whole text before every match would
 * take time in proportion to the square of the text's length.
 */
export const denialReach = 100

/** What stands before a match as far as a denial may reach, from the beginning of a word on. */
const before = (text: string, end: number): string => {
  const start = Math.max(0, end - denialReach)
  const reached = text.slice(start, end)
  return start > 0 && /[\p{L}\p{N}]/u.test(text.charAt(start - 1)) ? reached.replace(/^[\p{L}\p{N}]+/u, '') : reached
}

/**
 * The first words in a text that admit damage, or undefined. Whole words only ("chip" is not in "microchip"), and not what
 * the text denies ("no scratches or dents", "scratch-free").
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
