import type { BatchPostings } from './batch-analysis.ts'
import { countBits, maxCount } from './posting.ts'
import { encodeWord, hashSeed, hashWord, maxTokenBytes, tokenize, wordBytes } from './tokens.ts'

const multiplier = 0x01000193

/**
 * Collects the words of a batch's entries. Each distinct word is hashed and compared here, so that the index only looks up the distinct ones, a
 * fourth of all, and copies their postings.
 */
export type BatchWords = {
  /** Starts a batch in the same memory. */
  start: () => void
  /** Adds the words of an entry whose text is the ASCII from `start` to `end`. Returns the number of words. */
  addAscii: (entry: number, bytes: Uint8Array, start: number, end: number) => number
  /** Adds the words of an entry with any text. Returns the number of words. */
  addText: (entry: number, text: string) => number
  /** Distinct indices into `watchedWords` of words in the last entry. Valid until the next entry. */
  readonly matched: readonly number[]
  finish: () => BatchPostings
}

const sizeFor = (current: number, required: number) => {
  let size = current
  while (size < required) size *= 2
  return size
}
const grown = <Values extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  from: Values,
  to: Values,
): Values => {
  to.set(from)
  return to
}

/** `watchedWords` are in the tokeniser's form. */
export const createBatchWords = (watchedWords: readonly string[]): BatchWords => {
  /** Two numbers per slot: the hash of a word, and the word's number plus one. */
  let slots = new Int32Array(1 << 12)
  let hashes = new Int32Array(1 << 10)
  /** The end of each word in the pool. */
  let ends = new Uint32Array(1 << 10)
  /** The newest posting of each word, plus one. */
  let newest = new Uint32Array(1 << 10)
  let pool = new Uint8Array(1 << 13)
  let poolSize = 0
  let words = 0
  let postings = new Uint32Array(1 << 13)
  let wordOf = new Uint32Array(1 << 13)
  let count = 0
  let matched: number[] = []

  const growWords = (size: number) => {
    hashes = grown(hashes, new Int32Array(size))
    ends = grown(ends, new Uint32Array(size))
    newest = grown(newest, new Uint32Array(size))
    slots = new Int32Array(size * 4)
    const mask = size * 2 - 1
    for (let word = 0; word < words; word++) {
      const hash = hashes[word] ?? 0
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask
      slots[slot * 2] = hash
      slots[slot * 2 + 1] = word + 1
    }
  }
  /** Reserves space for as many words as `bytes` can hold, so that the loops need no checks. */
  const reserve = (bytes: number) => {
    const more = (bytes >>> 1) + 2
    if (words + more > hashes.length) growWords(sizeFor(hashes.length, words + more))
    if (count + more > postings.length) {
      const size = sizeFor(postings.length, count + more)
      postings = grown(postings, new Uint32Array(size))
      wordOf = grown(wordOf, new Uint32Array(size))
    }
    const required = poolSize + bytes + maxTokenBytes
    if (required > pool.length) pool = grown(pool, new Uint8Array(sizeFor(pool.length, required)))
  }
  /** The number of the word at the end of the pool; a new word stays there. */
  const numberOf = (hash: number, length: number): number => {
    const mask = (slots.length >>> 1) - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (let known = slots[slot * 2 + 1] ?? 0; known !== 0; known = slots[slot * 2 + 1] ?? 0) {
      if (slots[slot * 2] === hash) {
        const word = known - 1
        const start = word === 0 ? 0 : (ends[word - 1] ?? 0)
        if ((ends[word] ?? 0) - start === length) {
          let index = 0
          while (index < length && pool[start + index] === pool[poolSize + index]) index++
          if (index === length) return word
        }
      }
      slot = (slot + 1) & mask
    }
    const word = words++
    slots[slot * 2] = hash
    slots[slot * 2 + 1] = word + 1
    hashes[word] = hash
    newest[word] = 0
    poolSize += length
    ends[word] = poolSize
    return word
  }
  const addPosting = (entry: number, word: number) => {
    const last = newest[word] ?? 0
    if (last !== 0) {
      const known = postings[last - 1] ?? 0
      if (known >>> countBits === entry) {
        if ((known & maxCount) < maxCount) postings[last - 1] = known + 1
        return
      }
    }
    postings[count] = (entry << countBits) | 1
    wordOf[count] = word
    newest[word] = ++count
    if (word < watchedWords.length) matched.push(word)
  }
  const numberOfWord = (word: Uint8Array): number => {
    reserve(word.length)
    pool.set(word, poolSize)
    return numberOf(hashWord(word), word.length)
  }
  const clearMatched = () => {
    if (matched.length > 0) matched = []
  }

  /** Groups postings by word, in one pass in order of arrival, which is cache-friendly. */
  const group = (postingEnds: Uint32Array, grouped: Uint32Array) => {
    const targets = newest.fill(0, 0, words)
    for (let posting = 0; posting < count; posting++) {
      const word = wordOf[posting] ?? 0
      targets[word] = (targets[word] ?? 0) + 1
    }
    let next = 0
    for (let word = 0; word < words; word++) {
      const start = next
      next += targets[word] ?? 0
      postingEnds[word] = next
      targets[word] = start
    }
    for (let posting = 0; posting < count; posting++) {
      const word = wordOf[posting] ?? 0
      const target = targets[word] ?? 0
      grouped[target] = postings[posting] ?? 0
      targets[word] = target + 1
    }
  }

  return {
    start() {
      slots.fill(0)
      words = 0
      poolSize = 0
      count = 0
      for (const word of watchedWords) numberOfWord(encodeWord(word))
    },
    get matched() {
      return matched
    },
    addAscii(entry, bytes, start, end) {
      clearMatched()
      reserve(end - start)
      let found = 0
      const target = pool
      for (let position = start; position < end; ) {
        let byte = wordBytes[bytes[position++] ?? 0] ?? 0
        if (byte === 0) continue
        let length = 0
        let hash = hashSeed
        do {
          if (length < maxTokenBytes) {
            target[poolSize + length++] = byte
            hash = Math.imul(hash ^ byte, multiplier)
          }
          byte = position < end ? (wordBytes[bytes[position] ?? 0] ?? 0) : 0
          position++
        } while (byte !== 0)
        addPosting(entry, numberOf(hash, length))
        found++
      }
      return found
    },
    addText(entry, text) {
      clearMatched()
      const tokens = tokenize(text)
      for (const token of tokens) addPosting(entry, numberOfWord(encodeWord(token.text)))
      return tokens.length
    },
    finish() {
      const postingEnds = new Uint32Array(words)
      const grouped = new Uint32Array(count)
      group(postingEnds, grouped)
      return {
        hashes: hashes.slice(0, words),
        ends: ends.slice(0, words),
        bytes: pool.slice(0, poolSize),
        postingEnds,
        postings: grouped,
      }
    },
  }
}
