import { encodeWord, hashSeed, hashWord, maximumTokenBytes, wordBytes } from './tokens.ts'

const multiplier = 0x01000193
/** A packed posting has its document in the upper 24 bits and the word's count in the lower 8. */
export const countBits = 8
export const mostOften = 255

/**
 * The words of a memory index and where each was seen. Words are interned in an open-addressing hash table; each keeps a chain of
 * postings from its newest back, so that adding one is four stores and nothing moves until the table grows.
 */
export type TermTable = {
  readonly terms: number
  readonly postings: number
  /** Indexes the words of ASCII bytes from `start` to `end`, where the byte at `end` separates. Gives the number of words. */
  addAscii: (document: number, bytes: Uint8Array, start: number, end: number) => number
  /** Indexes one word in the tokeniser's form. */
  addWord: (document: number, word: Uint8Array) => void
  /** The number of a word, interned when it is new. */
  intern: (word: Uint8Array) => number
  /** The number of a word, or -1. */
  find: (word: Uint8Array) => number
  /** How many documents have the word. */
  documentsWith: (term: number) => number
  /** Fills the documents that have the word, ascending, and how often each has it (at most 255). */
  readPostings: (term: number, documents: Uint32Array, counts: Uint8Array) => void
  /**
   * All postings, word by word in the order given, each packed as `packPosting` does. One pass in the order they came in, which the
   * processor's cache likes; following the chains instead took five times as long.
   */
  groupPostings: (order: Uint32Array) => Uint32Array<ArrayBuffer>
  bytesOf: (term: number) => Uint8Array
  startsWith: (term: number, prefix: Uint8Array) => boolean
  /** Words below `markedBelow` that the last text had, each once: see `startText`. */
  readonly marked: number[]
  /** Forgets the marks; to be called before a text is added. */
  startText: (markedBelow: number) => void
}

const growUint32 = (array: Uint32Array<ArrayBuffer>, size: number) => {
  const larger = new Uint32Array(size)
  larger.set(array)
  return larger
}
const growUint8 = (array: Uint8Array<ArrayBuffer>, size: number) => {
  const larger = new Uint8Array(size)
  larger.set(array)
  return larger
}

export const createTermTable = (): TermTable => {
  let slots = new Int32Array(1 << 12)
  let hashes = new Int32Array(1 << 11)
  let offsets = new Uint32Array(1 << 11)
  let lengths = new Uint8Array(1 << 11)
  let documentCounts = new Uint32Array(1 << 11)
  /** The newest posting of each word, plus one. */
  let newest = new Uint32Array(1 << 11)
  let pool = new Uint8Array(1 << 14)
  let poolSize = 0
  let terms = 0
  /** Two numbers a posting, side by side for the processor's cache: document and count, and the word's posting before, plus one. */
  let chain = new Uint32Array(1 << 15)
  /** The word of each posting, for grouping them all at once. */
  let wordOf = new Uint32Array(1 << 14)
  let postings = 0
  let marked: number[] = []
  let markedBelow = 0

  const growTerms = (size: number) => {
    const larger = new Int32Array(size)
    larger.set(hashes)
    hashes = larger
    offsets = growUint32(offsets, size)
    lengths = growUint8(lengths, size)
    documentCounts = growUint32(documentCounts, size)
    newest = growUint32(newest, size)
    slots = new Int32Array(size * 2)
    const mask = slots.length - 1
    for (let term = 0; term < terms; term++) {
      const hash = hashes[term] ?? 0
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = term + 1
    }
  }
  /** Makes room for as many words as so many bytes can hold, so that the loops need not look. */
  const reserve = (bytes: number) => {
    const words = (bytes >>> 1) + 2
    if (terms + words > hashes.length) growTerms(sizeFor(hashes.length, terms + words))
    const numbers = (postings + words) * 2
    if (numbers > chain.length) {
      chain = growUint32(chain, sizeFor(chain.length, numbers))
      wordOf = growUint32(wordOf, chain.length / 2)
    }
    if (poolSize + bytes + 1 > pool.length) pool = growUint8(pool, sizeFor(pool.length, poolSize + bytes + 1))
  }
  const sizeFor = (current: number, wanted: number) => {
    let size = current
    while (size < wanted) size *= 2
    return size
  }

  const slotOf = (hash: number, bytes: Uint8Array, start: number, length: number): number => {
    const mask = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const found = slots[slot] ?? 0
      if (found === 0) return slot
      const term = found - 1
      if (hashes[term] === hash && lengths[term] === length) {
        const offset = offsets[term] ?? 0
        let index = 0
        while (index < length && pool[offset + index] === bytes[start + index]) index++
        if (index === length) return slot
      }
      slot = (slot + 1) & mask
    }
  }
  const create = (slot: number, hash: number, bytes: Uint8Array, start: number, length: number): number => {
    const term = terms++
    slots[slot] = term + 1
    hashes[term] = hash
    offsets[term] = poolSize
    lengths[term] = length
    for (let index = 0; index < length; index++) pool[poolSize++] = bytes[start + index] ?? 0
    return term
  }
  const intern = (word: Uint8Array): number => {
    reserve(word.length + 2)
    const hash = hashWord(word)
    const slot = slotOf(hash, word, 0, word.length)
    return (slots[slot] ?? 0) - 1 >= 0 ? (slots[slot] ?? 0) - 1 : create(slot, hash, word, 0, word.length)
  }
  const addPosting = (document: number, term: number) => {
    const last = newest[term] ?? 0
    if (last !== 0) {
      const known = chain[last * 2 - 2] ?? 0
      if (known >>> countBits === document) {
        if ((known & mostOften) < mostOften) chain[last * 2 - 2] = known + 1
        return
      }
    }
    chain[postings * 2] = (document << countBits) | 1
    chain[postings * 2 + 1] = last
    wordOf[postings] = term
    newest[term] = ++postings
    documentCounts[term] = (documentCounts[term] ?? 0) + 1
    if (term < markedBelow) marked.push(term)
  }

  /** A word as it was lowered while it was hashed. */
  const lowered = new Uint8Array(maximumTokenBytes)

  return {
    get terms() {
      return terms
    },
    get postings() {
      return postings
    },
    get marked() {
      return marked
    },
    startText(below) {
      if (marked.length > 0) marked = []
      markedBelow = below
    },
    addAscii(document, bytes, start, end) {
      reserve(end - start)
      let words = 0
      let length = 0
      let hash = hashSeed
      for (let position = start; position <= end; position++) {
        const byte = wordBytes[bytes[position] ?? 0] ?? 0
        if (byte !== 0) {
          if (length < maximumTokenBytes) {
            lowered[length++] = byte
            hash = Math.imul(hash ^ byte, multiplier)
          }
          continue
        }
        if (length === 0) continue
        const slot = slotOf(hash, lowered, 0, length)
        const found = slots[slot] ?? 0
        addPosting(document, found === 0 ? create(slot, hash, lowered, 0, length) : found - 1)
        words++
        length = 0
        hash = hashSeed
      }
      return words
    },
    addWord: (document, word) => {
      const term = intern(word)
      reserve(word.length)
      addPosting(document, term)
    },
    intern,
    find: (word) => {
      const slot = slotOf(hashWord(word), word, 0, word.length)
      return (slots[slot] ?? 0) - 1
    },
    documentsWith: (term) => documentCounts[term] ?? 0,
    readPostings: (term, documents, counts) => {
      let posting = newest[term] ?? 0
      for (let index = (documentCounts[term] ?? 0) - 1; index >= 0; index--) {
        const known = chain[posting * 2 - 2] ?? 0
        documents[index] = known >>> countBits
        counts[index] = known & mostOften
        posting = chain[posting * 2 - 1] ?? 0
      }
    },
    groupPostings: (order) => {
      const places = new Uint32Array(terms)
      let place = 0
      for (let index = 0; index < order.length; index++) {
        const term = order[index] ?? 0
        places[term] = place
        place += documentCounts[term] ?? 0
      }
      const grouped = new Uint32Array(postings)
      for (let posting = 0; posting < postings; posting++) {
        const term = wordOf[posting] ?? 0
        const target = places[term] ?? 0
        grouped[target] = chain[posting * 2] ?? 0
        places[term] = target + 1
      }
      return grouped
    },
    startsWith: (term, prefix) => {
      if ((lengths[term] ?? 0) < prefix.length) return false
      const offset = offsets[term] ?? 0
      for (let index = 0; index < prefix.length; index++) if (pool[offset + index] !== prefix[index]) return false
      return true
    },
    bytesOf: (term) => pool.subarray(offsets[term] ?? 0, (offsets[term] ?? 0) + (lengths[term] ?? 0)),
  }
}

/** Convenience for words given as text. */
export const internWord = (table: TermTable, word: string): number => table.intern(encodeWord(word))
