import type { BatchPostings } from './batch-analysis.ts'
import { type Blocks, newBlocks } from './blocks.ts'
import { countBits, maxCount } from './posting.ts'
import { hashWord } from './tokens.ts'

/**
 * The words of a memory index and their postings. Words are interned in an open-addressing hash table. Postings arrive batch by batch, already
 * grouped by word; the postings of a word in one batch are a run, and the runs of a word are linked from the newest back.
 */
export type TermTable = {
  readonly terms: number
  readonly postings: number
  /** The current sizes plus an eighth: capacities with which the table of similar entries need not grow. */
  readonly capacity: TermCapacity
  /**
   * Adds the words of a batch. `documentOf` has each entry's document, -1 for an entry that is not stored; ascending and higher than all earlier
   * ones.
   */
  add: (words: BatchPostings, documentOf: Int32Array) => void
  /** The number of a word, or -1. */
  find: (word: Uint8Array) => number
  /** The number of documents that contain the word. */
  documentsWith: (term: number) => number
  /** Fills in the documents that contain the word, ascending, and the counts of the word in each (at most 255). */
  readPostings: (term: number, documents: Uint32Array, counts: Uint8Array) => void
  /**
   * The packed postings of words, `total` in all, word by word in the order of `words`. One pass over all runs in order of arrival, in steps
   * between which the table must not change. The caller must free the memory of the result.
   */
  groupPostings: (words: Uint32Array, total: number, blocks: Blocks) => Generator<undefined, Uint32Array<ArrayBuffer>>
  startsWith: (term: number, prefix: Uint8Array) => boolean
  /** The bytes of all words in sequence, and the end of each. Views that are valid until the next batch. */
  words: () => { bytes: Uint8Array; ends: Uint32Array }
  /** Frees the memory; the table is empty then. */
  clear: () => void
}

/** Capacities: number of words, their total bytes, runs and postings. */
export type TermCapacity = { terms: number; bytes: number; runs: number; postings: number }

const minCapacity: TermCapacity = { terms: 1 << 10, bytes: 1 << 13, runs: 1 << 11, postings: 1 << 13 }

const sizeFor = (current: number, required: number) => {
  let size = current
  while (size < required) size *= 2
  return size
}

/** Numbers per run: its word, the start of its postings (they end at the start of the next run's), and the word's previous run plus one. */
const runNumbers = 3
/** Runs per step: a few milliseconds. */
const runsPerStep = 32_000

/** Grows when a batch exceeds the capacities. */
export const createTermTable = (capacity: TermCapacity = minCapacity, blocks: Blocks = newBlocks): TermTable => {
  const newUint32 = (size: number) => new Uint32Array(blocks.take(size * 4), 0, size)
  const newSlots = (size: number) => new Int32Array(blocks.take(size * 16), 0, size * 4).fill(0)
  // Outgrown arrays are left to the garbage collector rather than pooled: the next table starts with the capacities of this one, so nothing would
  // reuse them.
  const growUint32 = (array: Uint32Array<ArrayBuffer>, size: number) => {
    const larger = newUint32(size)
    larger.set(array)
    return larger
  }
  const growUint8 = (array: Uint8Array<ArrayBuffer>, size: number) => {
    const larger = new Uint8Array(blocks.take(size), 0, size)
    larger.set(array)
    return larger
  }
  const maxTerms = sizeFor(minCapacity.terms, capacity.terms)
  /** Two numbers per slot, adjacent for the CPU cache: the hash of a word, and the word's number plus one. Half of the slots stay free. */
  let slots = newSlots(maxTerms)
  let ends = newUint32(maxTerms)
  /** Two numbers per word: its newest run plus one, and the number of its documents. */
  let heads = newUint32(maxTerms * 2)
  let pool = new Uint8Array(blocks.take(capacity.bytes), 0, capacity.bytes)
  let poolSize = 0
  let terms = 0
  let runs = newUint32(capacity.runs * runNumbers)
  let runCount = 0
  let packed = newUint32(capacity.postings)
  let postings = 0

  const growTerms = (size: number) => {
    ends = growUint32(ends, size)
    heads = growUint32(heads, size * 2)
    const before = slots
    slots = newSlots(size)
    const mask = size * 2 - 1
    for (let old = 0; old < before.length; old += 2) {
      const number = before[old + 1] ?? 0
      if (number === 0) continue
      const hash = before[old] ?? 0
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask
      slots[slot * 2] = hash
      slots[slot * 2 + 1] = number
    }
  }
  const reserve = (words: BatchPostings) => {
    const more = words.hashes.length
    if (terms + more > ends.length) growTerms(sizeFor(ends.length, terms + more))
    const numbers = (runCount + more + 1) * runNumbers
    if (numbers > runs.length) runs = growUint32(runs, sizeFor(runs.length, numbers))
    const all = postings + words.postings.length
    if (all > packed.length) packed = growUint32(packed, sizeFor(packed.length, all))
    const bytes = poolSize + words.bytes.length
    if (bytes > pool.length) pool = growUint8(pool, sizeFor(pool.length, bytes))
  }
  /** The slot of a word, or the free slot for it. */
  const slotOf = (hash: number, bytes: Uint8Array, start: number, length: number): number => {
    const mask = (slots.length >>> 1) - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (let known = slots[slot * 2 + 1] ?? 0; known !== 0; known = slots[slot * 2 + 1] ?? 0) {
      if (slots[slot * 2] === hash) {
        const offset = known === 1 ? 0 : (ends[known - 2] ?? 0)
        if ((ends[known - 1] ?? 0) - offset === length) {
          let index = 0
          while (index < length && pool[offset + index] === bytes[start + index]) index++
          if (index === length) return slot
        }
      }
      slot = (slot + 1) & mask
    }
    return slot
  }
  const intern = (hash: number, bytes: Uint8Array, start: number, end: number): number => {
    const slot = slotOf(hash, bytes, start, end - start)
    const known = slots[slot * 2 + 1] ?? 0
    if (known !== 0) return known - 1
    slots[slot * 2] = hash
    slots[slot * 2 + 1] = terms + 1
    for (let index = start; index < end; index++) pool[poolSize++] = bytes[index] ?? 0
    ends[terms] = poolSize
    heads[terms * 2] = 0
    heads[terms * 2 + 1] = 0
    return terms++
  }
  const addRun = (term: number, start: number) => {
    const run = runCount++
    runs[run * runNumbers] = term
    runs[run * runNumbers + 1] = start
    runs[run * runNumbers + 2] = heads[term * 2] ?? 0
    heads[term * 2] = run + 1
    heads[term * 2 + 1] = (heads[term * 2 + 1] ?? 0) + postings - start
  }
  const endOfRun = (run: number) => (run + 1 === runCount ? postings : (runs[(run + 1) * runNumbers + 1] ?? 0))

  return {
    get terms() {
      return terms
    },
    get postings() {
      return postings
    },
    get capacity() {
      const capacityFor = (used: number, min: number) => Math.max(min, used + (used >>> 3))
      return {
        terms: capacityFor(terms, minCapacity.terms),
        bytes: capacityFor(poolSize, minCapacity.bytes),
        runs: capacityFor(runCount, minCapacity.runs),
        postings: capacityFor(postings, minCapacity.postings),
      }
    },
    add(words, documentOf) {
      reserve(words)
      const { hashes, bytes, postingEnds } = words
      let from = 0
      let wordStart = 0
      for (let word = 0; word < hashes.length; word++) {
        const start = postings
        const to = postingEnds[word] ?? 0
        for (let index = from; index < to; index++) {
          const posting = words.postings[index] ?? 0
          const document = documentOf[posting >>> countBits] ?? -1
          if (document >= 0) packed[postings++] = (document << countBits) | (posting & maxCount)
        }
        from = to
        const wordEnd = words.ends[word] ?? 0
        if (postings > start) addRun(intern(hashes[word] ?? 0, bytes, wordStart, wordEnd), start)
        wordStart = wordEnd
      }
    },
    find: (word) => (slots[slotOf(hashWord(word), word, 0, word.length) * 2 + 1] ?? 0) - 1,
    documentsWith: (term) => heads[term * 2 + 1] ?? 0,
    readPostings: (term, documents, counts) => {
      let index = heads[term * 2 + 1] ?? 0
      for (let next = heads[term * 2] ?? 0; next !== 0; next = runs[(next - 1) * runNumbers + 2] ?? 0) {
        const start = runs[(next - 1) * runNumbers + 1] ?? 0
        for (let posting = endOfRun(next - 1) - 1; posting >= start; posting--) {
          const known = packed[posting] ?? 0
          documents[--index] = known >>> countBits
          counts[index] = known & maxCount
        }
      }
    },
    *groupPostings(words, total, memory) {
      /** For each word the position of its next posting, plus one; 0 for words that were not requested. */
      const targets = new Uint32Array(memory.take(terms * 4), 0, terms).fill(0)
      let next = 1
      for (let index = 0; index < words.length; index++) {
        const term = words[index] ?? 0
        targets[term] = next
        next += heads[term * 2 + 1] ?? 0
      }
      const grouped = new Uint32Array(memory.take(total * 4), 0, total)
      for (let run = 0; run < runCount; run++) {
        if ((run + 1) % runsPerStep === 0) yield
        const term = runs[run * runNumbers] ?? 0
        let target = targets[term] ?? 0
        if (target === 0) continue
        const end = endOfRun(run)
        for (let posting = runs[run * runNumbers + 1] ?? 0; posting < end; posting++)
          grouped[target++ - 1] = packed[posting] ?? 0
        targets[term] = target
      }
      memory.free(targets.buffer)
      return grouped
    },
    startsWith: (term, prefix) => {
      const start = term === 0 ? 0 : (ends[term - 1] ?? 0)
      if ((ends[term] ?? 0) - start < prefix.length) return false
      for (let index = 0; index < prefix.length; index++) if (pool[start + index] !== prefix[index]) return false
      return true
    },
    words: () => ({ bytes: pool, ends }),
    clear: () => {
      for (const { buffer } of [slots, ends, heads, pool, runs, packed]) blocks.free(buffer)
      // Lookups after this find nothing, even if the freed memory is reused.
      slots = new Int32Array(2)
      ends = new Uint32Array(0)
      heads = new Uint32Array(0)
      pool = new Uint8Array(0)
      runs = new Uint32Array(0)
      packed = new Uint32Array(0)
      poolSize = 0
      terms = 0
      runCount = 0
      postings = 0
    },
  }
}
