/**
 * What a word is, the same at ingest, in queries and in highlights: a run of letters and digits, in lower case; everything else separates.
 * ASCII is decided byte by byte; text with other characters goes by Unicode's letters, marks and numbers.
 */
export const maximumTokenBytes = 64

/** For each byte the lower-case byte when it belongs to a word, else 0. Bytes past ASCII are not decided here. */
export const wordBytes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isLetterOrDigit = (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122)
  if (isLetterOrDigit) return byte
  return byte >= 65 && byte <= 90 ? byte + 32 : 0
})

/** A word in a text; `start` and `end` count UTF-16 units. */
export type Token = { text: string; start: number; end: number }

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu
const asciiWordPattern = /[A-Za-z0-9]+/g
const beyondAscii = /[\u0080-\uffff]/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A word longer than the limit is known by its first bytes, never by half a character. */
const shorten = (word: string): string => {
  if (word.length * 3 <= maximumTokenBytes) return word
  const bytes = encoder.encode(word)
  if (bytes.length <= maximumTokenBytes) return word
  let end = maximumTokenBytes
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return decoder.decode(bytes.subarray(0, end))
}

/** The words of a text in order. */
export const tokenize = (text: string): Token[] => {
  const pattern = beyondAscii.test(text) ? wordPattern : asciiWordPattern
  const tokens: Token[] = []
  for (const match of text.matchAll(pattern)) {
    tokens.push({ text: shorten(match[0].toLowerCase()), start: match.index, end: match.index + match[0].length })
  }
  return tokens
}

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
