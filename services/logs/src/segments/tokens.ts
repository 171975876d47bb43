/**
 * The tokeniser, the same for ingestion, queries and highlights. A word is a run of letters and digits, in lower case, or an emoji; everything
 * else separates words. ASCII is classified byte by byte; text with other characters by Unicode letters, marks and numbers. In scripts without
 * spaces between words, each character with the next one is a word.
 */
export const maxTokenBytes = 64

/** For each byte its lower-case form if it belongs to a word, else 0. Bytes beyond ASCII are not classified here. */
export const wordBytes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isLetterOrDigit = (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122)
  if (isLetterOrDigit) return byte
  return byte >= 65 && byte <= 90 ? byte + 32 : 0
})

/** A word in a text; `start` and `end` count UTF-16 code units. */
export type Token = { text: string; start: number; end: number }

/** Chinese, Japanese, Thai, Lao, Khmer and Burmese; the usual rule covers all characters before the first of these scripts. */
const unspacedScripts =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const beforeUnspaced = '\\u{0}-\\u{DFF}'
const mayBeUnspaced = /[\u0e00-\uffff]/
// Variation selectors are not part of a word.
const wordCharacter = '[[\\p{L}\\p{N}\\p{M}]--[\\u{FE00}-\\u{FE0F}]]'
const unspaced = `[${wordCharacter}&&[[${unspacedScripts}]--[${beforeUnspaced}]]]`
const pairedPattern = new RegExp(
  `(${unspaced}+)|[${wordCharacter}--${unspaced}]+|[\\p{Extended_Pictographic}--[${beforeUnspaced}]]`,
  'gv',
)
const unspacedPattern = new RegExp(`^${unspaced}+$`, 'v')
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu
const asciiWordPattern = /[A-Za-z0-9]+/g
const beyondAscii = /[\u0080-\uffff]/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Truncates a word beyond the limit to its first bytes, at a character boundary. */
const shorten = (word: string): string => {
  if (word.length * 3 <= maxTokenBytes) return word
  const bytes = encoder.encode(word)
  if (bytes.length <= maxTokenBytes) return word
  let end = maxTokenBytes
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return decoder.decode(bytes.subarray(0, end))
}

/** Each character with the next one, and the last one alone: so any substring of the run matches consecutive words, or a prefix of one. */
const pairsIn = (run: string, start: number): Token[] => {
  const characters = [...run.toLowerCase()]
  let end = start
  return characters.map((character, index) => {
    const next = characters[index + 1] ?? ''
    const token = { text: character + next, start: end, end: end + character.length + next.length }
    end += character.length
    return token
  })
}

const patternFor = (text: string): RegExp => {
  if (!beyondAscii.test(text)) return asciiWordPattern
  return mayBeUnspaced.test(text) ? pairedPattern : wordPattern
}

/** The words of a text in order. */
export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  for (const match of text.matchAll(patternFor(text))) {
    if (match[1] !== undefined) tokens.push(...pairsIn(match[0], match.index))
    else tokens.push({ text: shorten(match[0].toLowerCase()), start: match.index, end: match.index + match[0].length })
  }
  return tokens
}

/** Whether a word is of a script without spaces between words. */
export const isUnspaced = (word: string): boolean => mayBeUnspaced.test(word) && unspacedPattern.test(word)

export const wordsOf = (text: string): string[] => tokenize(text).map((token) => token.text)

const multiplier = 0x01000193
export const hashSeed = 0x811c9dc5 | 0

/** One step of the hash over a word's bytes (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/). */
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, multiplier)

export const hashWord = (bytes: Uint8Array): number => {
  let hash = hashSeed
  for (let index = 0; index < bytes.length; index++) hash = hashByte(hash, bytes[index] ?? 0)
  return hash
}

export const encodeWord = (word: string): Uint8Array => encoder.encode(word)
