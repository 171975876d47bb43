import { hashByte, hashSeed, wordBytes, wordsOf } from '../segments/tokens.ts'

/** Returns which of up to 31 sets of words a text contains a word of: bit n for set n. */
export type WordMarks = (text: string) => number

const asciiEnd = 128
const slotsPerWord = 4

/**
 * Finds words as `wordsOf` does, but only returns the sets that they belong to: creating a string for each word of a text and looking it up took
 * longer than all rules together. Words are found by their hash, and only on a match is the string compared.
 */
export const createWordMarks = (sets: readonly ReadonlySet<string>[]): WordMarks => {
  const all = 2 ** sets.length - 1
  const words = [...new Set(sets.flatMap((set) => [...set]))]
  const markOf = new Map(
    words.map((word) => [word, sets.reduce((mark, set, bit) => mark | (+set.has(word) << bit), 0)]),
  )
  const slotCount = 2 ** Math.ceil(Math.log2((words.length + 1) * slotsPerWord))
  const hashes = new Int32Array(slotCount)
  const isTaken = new Uint8Array(slotCount)
  const hashOf = (word: string) => [...word].reduce((hash, letter) => hashByte(hash, letter.charCodeAt(0)), hashSeed)
  for (const word of words) {
    const hash = hashOf(word)
    let slot = hash & (slotCount - 1)
    while (isTaken[slot] === 1) slot = (slot + 1) & (slotCount - 1)
    isTaken[slot] = 1
    hashes[slot] = hash
  }
  const isKnown = (hash: number): boolean => {
    for (let slot = hash & (slotCount - 1); isTaken[slot] === 1; slot = (slot + 1) & (slotCount - 1))
      if (hashes[slot] === hash) return true
    return false
  }
  const ofAnyScript = (text: string): number =>
    wordsOf(text).reduce((marks, word) => marks | (markOf.get(word) ?? 0), 0)

  return (text) => {
    let marks = 0
    let start = 0
    let hash = hashSeed
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : 0
      if (code >= asciiEnd) return ofAnyScript(text)
      const letter = wordBytes[code] ?? 0
      if (letter !== 0) {
        hash = hashByte(hash, letter)
        continue
      }
      if (at > start && isKnown(hash)) marks |= markOf.get(text.slice(start, at).toLowerCase()) ?? 0
      if (marks === all) return all
      start = at + 1
      hash = hashSeed
    }
    return marks
  }
}
