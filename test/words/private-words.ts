/**
 * Words that this code base used for what the field has words for, one pattern each. `docs/glossary.md` says what to write in their place.
 * Each occurrence counts: in comments, in texts, and in the parts of identifiers.
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

/** Splits identifiers into their words: `lastAsked` and `LAST_ASKED` both hold `asked`. */
const splitIdentifiers = (text: string): string =>
  text.replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ').replaceAll(/(?<=\w)_(?=\w)/g, ' ')

/** Private words of a text, in order. */
export const privateWordsIn = (text: string): string[] => splitIdentifiers(text).match(privateWord) ?? []

export type Line = { number: number; text: string; words: string[] }

/** Lines of a file that hold private words; lines that quote them on purpose end in `words: allowed`. */
export const linesWithPrivateWords = (content: string): Line[] =>
  content.split('\n').flatMap((text, index) => {
    const found = text.includes('words: allowed') ? [] : privateWordsIn(text)
    return found.length > 0 ? [{ number: index + 1, text, words: found }] : []
  })
