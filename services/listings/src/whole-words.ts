/** Matches what separates the words of a phrase: spaces, hyphens or slashes. */
const gap = String.raw`[\s\-–/]+`

const optionalGap = String.raw`[\s\-–/]*`

/** A phrase of a table of wordings as a pattern, in which each space matches any separator, and ` ?` also none. */
export const spaced = (words: string): string => words.replaceAll(' ?', optionalGap).replaceAll(' ', gap)

/** The source of a pattern that matches phrases anywhere, as in languages that are written without spaces between words. */
export const unspacedWords = (words: string): string => `(?:${spaced(words)})`

/** The source of a pattern that matches phrases as whole words only: not the "chip" of "microchip". */
export const wholeWords = (words: string): string => String.raw`(?<![\p{L}\p{N}])(?:${spaced(words)})(?![\p{L}\p{N}])`
