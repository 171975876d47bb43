/**
 * Private words of this code base that have standard alternatives (see `docs/glossary.md`), one pattern each. Occurrences in comments, strings and
 * parts of identifiers count.
 */
const words = [
  'told',
  'tells?',
  'telling',
  'hears?',
  'heard',
  'says?',
  'said',
  'saying',
  'ask(?:s|ed)?',
  'asking',
  'want(?:s|ed)?',
  'given?s?',
  'kept',
  'keeping',
  'lets? go',
  'forgot(?:ten)?',
  'forgets?',
  'somebody',
  'nobody',
  'whoever',
  'anew',
  'likewise',
  'world',
  'leash',
  'desk',
]

const privateWord = new RegExp(`\\b(?:${words.join('|')})\\b`, 'gi')

/** Splits identifiers into their words: both `lastAsked` and `LAST_ASKED` contain `asked`. */
const splitIdentifiers = (text: string): string =>
  text.replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ').replaceAll(/(?<=\w)_(?=\w)/g, ' ')

/** The private words in a text, in order. */
export const privateWordsIn = (text: string): string[] => splitIdentifiers(text).match(privateWord) ?? []

export type Line = { number: number; text: string; words: string[] }

/** The lines of a file with private words. Lines that quote them on purpose are excluded by a trailing `words: allowed`. */
export const linesWithPrivateWords = (content: string): Line[] =>
  content.split('\n').flatMap((text, index) => {
    const found = text.includes('words: allowed') ? [] : privateWordsIn(text)
    return found.length > 0 ? [{ number: index + 1, text, words: found }] : []
  })
