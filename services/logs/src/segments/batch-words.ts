import type { BatchPostings } from './batch-analysis.ts'
import { countBits, mostOften } from './posting.ts'
import { encodeWord, hashSeed, hashWord, maxTokenBytes, tokenize, wordBytes } from './tokens.ts'

const multiplier = 0x01000193

/**
 * Collects the words of a batch's entries. Each distinct word is hashed and compared here; whoever keeps the batch then only looks up
 * the distinct ones, a fourth of all, and takes their postings as they are.
 */
export type BatchWords = {
  /** Starts a batch anew in the same memory. */
  start: () => void
  /** Adds the words of an entry, whose text is ASCII from `start` to `end`. Gives the number of words. */
  addAscii: (entry: number, bytes: Uint8Array, start: number, end: number) => number
  /** Adds the words of an entry of any text. Gives the number of words. */
  addText: (entry: number, text: string) => number
  /** Which of the listened-for words the last entry had, each once, as indices. Holds until the next entry. */
  readonly heard: readonly number[]
  finish: () => BatchPostings
}

const sizeFor = (current: number, wanted: number) => {
  let size = current
  while (size < wanted) size *= 2
  return size
}
const grown = <Values extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  from: Values,
  to: Values,
): Values => {
  to.set(from)
  return to
}

/** `listenedFor` are words in the tokeniser's form. */
export const createBatchWords = (listenedFor: readonly string[]): BatchWords => {
  /** Two numbers a slot: the word's hash and its number plus one. */
  let slots = new Int32Array(1 << 12)
  let hashes = new Int32Array(1 << 10)
  /** Where each word ends in the pool. */
  let ends = new Uint32Array(1 << 10)
  /** The newest posting of each word, plus one. */
  let newest = new Uint32Array(1 << 10)
  let pool = new Uint8Array(1 << 13)
  let poolSize = 0
  let words = 0
  let postings = new Uint32Array(1 << 13)
  let wordOf = new Uint32Array(1 << 13)
  let count = 0
  let heard: number[] = []

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
  /** Makes room for as many words as so many bytes can hold, so that the loops need not look. */
  const reserve = (bytes: number) => {
    const more = (bytes >>> 1) + 2
    if (words + more > hashes.length) growWords(sizeFor(hashes.length, words + more))
    if (count + more > postings.length) {
      const size = sizeFor(postings.length, count + more)
      postings = grown(postings, new Uint32Array(size))
      wordOf = grown(wordOf, new Uint32Array(size))
    }
    const room = poolSize + bytes + maxTokenBytes
    if (room > pool.length) pool = grown(pool, new Uint8Array(sizeFor(pool.length, room)))
  }
  /** The number of the word that stands at the end of the pool; it stays there when it is new. */
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
        if ((known & mostOften) < mostOften) postings[last - 1] = known + 1
        return
      }
    }
    postings[count] = (entry << countBits) | 1
    wordOf[count] = word
    newest[word] = ++count
    if (word < listenedFor.length) heard.push(word)
  }
  const numberOfWord = (word: Uint8Array): number => {
    reserve(word.length)
    pool.set(word, poolSize)
    return numberOf(hashWord(word), word.length)
  }
  const forgetHeard = () => {
    if (heard.length > 0) heard = []
  }

  /** Postings word by word. One pass in the order they came in, which the processor's cache likes. */
  const group = (postingEnds: Uint32Array, grouped: Uint32Array) => {
    const places = newest.fill(0, 0, words)
    for (let posting = 0; posting < count; posting++) {
      const word = wordOf[posting] ?? 0
      places[word] = (places[word] ?? 0) + 1
    }
    let place = 0
    for (let word = 0; word < words; word++) {
      const start = place
      place += places[word] ?? 0
      postingEnds[word] = place
      places[word] = start
    }
    for (let posting = 0; posting < count; posting++) {
      const word = wordOf[posting] ?? 0
      const target = places[word] ?? 0
      grouped[target] = postings[posting] ?? 0
      places[word] = target + 1
    }
  }

  return {
    start() {
      slots.fill(0)
      words = 0
      poolSize = 0
      count = 0
      for (const word of listenedFor) numberOfWord(encodeWord(word))
    },
    get heard() {
      return heard
    },
    addAscii(entry, bytes, start, end) {
      forgetHeard()
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
      forgetHeard()
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
